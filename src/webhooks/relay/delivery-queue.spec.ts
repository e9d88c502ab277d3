import type { JobsOptions, Queue } from 'bullmq';
import pino from 'pino';
import type { Config } from '../../platform/config/config';
import { QueueState } from '../../platform/queue/queue-state';
import { type DeliveryJob, DeliveryQueue, retryPriorityOf } from './delivery-queue';

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

it('retries beyond a thousand of an account have one priority, also when their jobs are added anew', async () => {
  const priorities: (number | undefined)[] = [];
  const add = (_name: string, _data: DeliveryJob, { priority }: JobsOptions) => {
    priorities.push(priority);
    return Promise.resolve();
  };
  const bull = { on: () => undefined, add } as unknown as Queue<DeliveryJob>;
  const config = { webhooks: { retryDelays: [1, 2] } } as unknown as Config;
  const queue = new DeliveryQueue(bull, config, new QueueState(pino({ level: 'silent' })));
  const delivery = {
    id: 'delivery',
    jobId: 'delivery',
    endpointId: 'endpoint',
    accountId: 'account',
    isManual: false,
    isTest: false,
    automaticAttempts: 0,
    nextAttemptAt: null,
    isFailing: false,
  };
  const added = [
    { ...delivery, waiting: 5_000 },
    { ...delivery, isFailing: true, waiting: 999 },
    { ...delivery, isFailing: true, waiting: 5_000 },
    { ...delivery, automaticAttempts: 1, waiting: 1_000_000 },
  ];
  await queue.add(added, new Date());
  const [first = NaN, , last] = priorities;
  expect(first).toBe(5_000);
  expect(priorities[1]).toBe(Number(last) - 1);
  // The same as that of a job whose attempt has failed.
  expect(last).toBe(retryPriorityOf(first));
  expect(priorities[3]).toBe(last);
});
