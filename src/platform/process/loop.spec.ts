import pino from 'pino';
import { Clock } from '../clock';
import { Loop } from './loop';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** How often a task that never ends is begun within two minutes. */
async function begun(patient: boolean): Promise<number> {
  let times = 0;
  const task = () => {
    times += 1;
    return new Promise<void>(() => undefined);
  };
  new Loop(pino({ level: 'silent' }), new Clock(), 'the task', 1_000, task, patient).start();
  await jest.advanceTimersByTimeAsync(120_000);
  return times;
}

test('a task of a loop is abandoned after a minute and started again', async () => {
  expect(await begun(false)).toBe(2);
});

test('a task of a patient loop is not started again while it runs', async () => {
  expect(await begun(true)).toBe(1);
});
