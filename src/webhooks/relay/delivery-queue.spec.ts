import type { Queue } from 'bullmq';
import pino from 'pino';
import type { Config } from '../../platform/config/config';
import { QueueState } from '../../platform/queue/queue-state';
import { type DeliveryJob, DeliveryQueue } from './delivery-queue';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('a queue that has failed is asked once at a time, and a late response shows that it is back', async () => {
  let fail: (error: Error) => void = () => undefined;
  const getWaitingCount = jest.fn(async () => {
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    return 0;
  });
  const on = (_: 'error', listener: typeof fail) => (fail = listener);
  const bull = { on, getWaitingCount } as unknown as Queue<DeliveryJob>;
  const queue = new DeliveryQueue(bull, {} as Config, new QueueState(pino({ level: 'silent' })));
  await queue.check();
  expect(getWaitingCount).not.toHaveBeenCalled();
  fail(new Error('connect ECONNREFUSED'));
  const checks = [queue.check(), queue.check()];
  expect(queue.responds).toBe(false);
  await jest.advanceTimersByTimeAsync(3_001);
  await Promise.all(checks);
  expect(queue.responds).toBe(true);
  expect(getWaitingCount).toHaveBeenCalledTimes(1);
});
