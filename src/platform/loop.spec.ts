import pino from 'pino';
import { Clock } from './clock';
import { Loop } from './loop';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('a task of a loop is abandoned after a minute and started again', async () => {
  const task = jest.fn(() => new Promise<void>(() => undefined));
  new Loop(pino({ level: 'silent' }), new Clock(), 'the task', 1_000, task).start();
  await jest.advanceTimersByTimeAsync(59_000);
  expect(task).toHaveBeenCalledTimes(1);
  await jest.advanceTimersByTimeAsync(3_000);
  expect(task).toHaveBeenCalledTimes(2);
});

test('a loop that is woken runs at once, and once more after a run during which it was woken', async () => {
  const ends: (() => void)[] = [];
  const task = () => new Promise<void>((resolve) => ends.push(resolve));
  const loop = new Loop(pino({ level: 'silent' }), new Clock(), 'the task', 1_000, task);
  loop.start();
  ends[0]?.();
  await jest.advanceTimersByTimeAsync(0);
  loop.wake();
  expect(ends).toHaveLength(2);
  loop.wake();
  loop.wake();
  ends[1]?.();
  await jest.advanceTimersByTimeAsync(0);
  expect(ends).toHaveLength(3);
  ends[2]?.();
  await jest.advanceTimersByTimeAsync(999);
  expect(ends).toHaveLength(3);
  await jest.advanceTimersByTimeAsync(1);
  expect(ends).toHaveLength(4);
});

test('a loop that has stopped is not woken', async () => {
  const lines: string[] = [];
  const logger = pino({}, { write: (line) => void lines.push(line) });
  const task = jest.fn(() => Promise.reject(new Error('no')));
  const loop = new Loop(logger, new Clock(), 'the task', 1_000, task);
  loop.start();
  await jest.advanceTimersByTimeAsync(0);
  await loop.stop();
  loop.wake();
  await jest.advanceTimersByTimeAsync(2_000);
  expect(task).toHaveBeenCalledTimes(1);
  expect(lines).toHaveLength(1);
});
