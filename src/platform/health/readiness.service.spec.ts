import pino from 'pino';
import { ReadinessService } from './readiness.service';

afterEach(() => void jest.useRealTimers());

test('a check that hangs begins again after two seconds, and a third time only when one of the two has ended', async () => {
  jest.useFakeTimers();
  const ends: (() => void)[] = [];
  const hangs = jest.fn(
    () => new Promise<{ state: string }>((end) => ends.push(() => end({ state: 'up' }))),
  );
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
  expect(hangs).toHaveBeenCalledTimes(2);
  ends[0]!();
  await jest.advanceTimersByTimeAsync(0);
  const late = readiness.checkAll();
  await jest.advanceTimersByTimeAsync(2_100);
  expect((await late).hanging?.state).toBe('unknown');
  const last = readiness.checkAll();
  await jest.advanceTimersByTimeAsync(0);
  expect(hangs).toHaveBeenCalledTimes(3);
  ends[2]!();
  expect((await last).hanging?.state).toBe('up');
});
