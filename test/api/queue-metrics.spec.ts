import { MonitorServer } from '../../src/platform/health/monitor-server';
import { DeliveriesProcessor } from '../../src/webhooks/sending/deliveries.processor';
import { eventually } from '../support/clock';
import { onBothQueues } from '../support/queues';
import { createFixture, type WebhookFixture } from '../support/worker';

const [MINUTE, HOUR] = [60_000, 3_600_000];

onBothQueues(5, (env) => {
  let fixture: WebhookFixture;
  beforeAll(async () => {
    fixture = await createFixture({ ...env, METRICS_PORT: '0' });
  });
  afterAll(() => fixture.close());

  /** A value of a queue by its state. A gauge that takes longer than a second to read is missing from a response. */
  const metric = (name: 'jobs' | 'first_job_age_seconds', queue: string, state: string) =>
    eventually(async () => {
      const { port } = fixture.get(MonitorServer, { strict: false });
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      const line = new RegExp(
        `^quiz_queue_${name}\\{queue="${queue}",state="${state}"\\} (\\S+)$`,
        'm',
      );
      const value = line.exec(text)?.[1];
      expect(value).toBeDefined();
      return Number(value);
    });
  const job = { deliveryId: '0', endpointId: '0', accountId: '0', isUrgent: false };

  it('an error about one job does not mean that the queue does not respond', async () => {
    const { worker } = fixture.get(DeliveriesProcessor, { strict: false });
    const isReported = () => fixture.log.some((it) => it.includes('the queue does not respond'));
    const added = await fixture.queue.add('deliver', job, { delay: HOUR });
    const error = (await added
      .moveToDelayed(Date.now() + HOUR, 'the token of another worker')
      .catch((it: unknown) => it)) as Error;
    expect(error.message).toMatch(/lock|is not in the active state/i);
    worker.emit('error', error);
    worker.emit('error', new Error('could not renew lock for job 1'));
    await added.remove();
    expect(isReported()).toBe(false);
    worker.emit('error', new Error('read ECONNRESET'));
    expect(isReported()).toBe(true);
  });

  it('metrics have the jobs of every queue by state', async () => {
    await fixture.queue.addBulk(
      [HOUR, 2 * HOUR].map((delay) => ({ name: 'deliver', data: job, opts: { delay } })),
    );
    expect(await metric('jobs', 'webhook-deliveries', 'delayed')).toBe(2);
    expect(await metric('first_job_age_seconds', 'webhook-deliveries', 'delayed')).toBe(0);
    for (const queue of ['imports', 'small-imports'])
      for (const state of ['waiting', 'prioritized', 'active', 'delayed'])
        expect([queue, state, await metric('jobs', queue, state)]).toEqual([queue, state, 0]);
    await eventually(async () =>
      expect(await metric('jobs', 'scheduled-tasks', 'delayed')).toBeGreaterThan(5),
    );
  });

  it('metrics have the age of the job that comes next, counted from when it was due', async () => {
    const { worker } = fixture.get(DeliveriesProcessor, { strict: false });
    await worker.pause();
    const timestamp = Date.now() - 10 * MINUTE;
    await fixture.queue.add('deliver', job, { priority: 3, timestamp });
    await fixture.queue.add('deliver', job, { delay: 8 * MINUTE, timestamp });
    const minutes = async (state: string) =>
      (await metric('first_job_age_seconds', 'webhook-deliveries', state)) / 60;
    expect(await minutes('prioritized')).toBeCloseTo(10, 0);
    // It has been due for two minutes, and nobody takes it.
    expect(await minutes('delayed')).toBeCloseTo(2, 0);
    expect(await minutes('active')).toBe(0);
    // Also once BullMQ has moved it to those that wait.
    await fixture.queue.promoteJobs();
    expect(await minutes('waiting')).toBeCloseTo(2, 0);
    await fixture.queue.drain(true);
    expect([await minutes('prioritized'), await minutes('delayed')]).toEqual([0, 0]);
    await worker.resume();
  });
});
