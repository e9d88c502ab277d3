import pino from 'pino';
import { ReadinessService } from './readiness.service';

afterEach(() => void jest.useRealTimers());

test('a check that hangs begins again every two seconds, however often it is asked for', async () => {
  jest.useFakeTimers();
  const hangs = jest.fn(() => new Promise<never>(() => undefined));
  const readiness = new ReadinessService(
    [{ name: 'hanging', checkHealth: hangs }],
    pino({ level: 'silent' }),
  );
  const asked = [];
  for (let tenths = 0; tenths < 50; tenths += 1) {
    asked.push(readiness.checkAll());
    await jest.advanceTimersByTimeAsync(100);
  }
  await jest.advanceTimersByTimeAsync(2_000);
  expect(new Set((await Promise.all(asked)).map(({ hanging }) => hanging?.state))).toEqual(
    new Set(['unknown']),
  );
  expect(hangs).toHaveBeenCalledTimes(3);
});
