import type { Queue } from 'bullmq';
import pino from 'pino';
import type { Config } from '../../platform/config/config';
import { QueueState } from '../../platform/queue/queue-state';
import { type DeliveryJob, DeliveryQueue } from './delivery-queue';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('a queue that is away is asked for a second at most: the heartbeat waits for it', async () => {
  let fail: (error: Error) => void = () => undefined;
  const bull = {
    on: (_: 'error', listener: typeof fail) => (fail = listener),
    getWaitingCount: () => new Promise(() => undefined),
  } as unknown as Queue<DeliveryJob>;
  const queue = new DeliveryQueue(bull, {} as Config, new QueueState(pino({ level: 'silent' })));
  fail(new Error('connect ECONNREFUSED'));
  let checked = false;
  const check = queue.check().then(() => (checked = true));
  await jest.advanceTimersByTimeAsync(1_001);
  expect(checked).toBe(true);
  expect(queue.responds).toBe(false);
  await check;
});
