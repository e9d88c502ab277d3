import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { getQueueToken } from '@nestjs/bullmq';
import { Worker, type Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { DELIVERY_QUEUES, FIRST_ATTEMPTS } from '../../src/webhooks/worker/delivery-queues';
import { Attempts } from '../../src/webhooks/sending/attempts';
import { JOB_LOST_AFTER, leaseFor } from '../../src/webhooks/sending/sending-limits';
import { FirstAttemptsProcessor } from '../../src/webhooks/worker/webhook-worker';
import { WorkersService } from '../../src/webhooks/deliveries/workers.service';
import { onBothQueues } from '../support/queues';
import { startReceiver, type Receiver } from '../support/receiver';
import { eventually, createFixture, type WebhookFixture } from '../support/worker';

const MINUTE = 60_000;
/** Hundreds of deliveries take their time, the more so when somebody reads them all again and again. */
const OF_HUNDREDS = [20_000, 200] as const;

onBothQueues(2, (env) => {
  let fixture: WebhookFixture;
  let receiver: Receiver;
  let account: string;
  let paths = 0;
  let path: string;

  beforeAll(async () => {
    receiver = await startReceiver();
    fixture = await createFixture(env);
  });
  afterAll(async () => {
    await fixture.close();
    await receiver.close();
  });
  beforeEach(async () => {
    account = await fixture.account();
    path = `/${++paths}`;
  });

  const queues = () =>
    DELIVERY_QUEUES.map((name) => fixture.get<Queue>(getQueueToken(name), { strict: false }));

  const finished = (endpoint: string, count: number) =>
    eventually(
      async () => {
        const log = await fixture.logOf(endpoint);
        expect(log.filter(({ status }) => status === 'delivered')).toHaveLength(count);
        return log;
      },
      ...OF_HUNDREDS,
    );

  /** The relay starts nothing itself: each first attempt has a job. @returns undoes it */
  function onlyJobs(): () => void {
    const attempts = fixture.get(Attempts, { strict: false });
    const room = jest.spyOn(attempts, 'room', 'get').mockReturnValue(0);
    return () => room.mockRestore();
  }

  /** Runs work while the worker starts nothing and takes no jobs from its queues, as a queue that is away or behind. */
  async function whilePaused(work: () => Promise<void>): Promise<void> {
    const undo = onlyJobs();
    await Promise.all(queues().map((queue) => queue.pause()));
    try {
      await work();
    } finally {
      undo();
      await Promise.all(queues().map((queue) => queue.resume()));
    }
  }

  it('a delivery survives a lost queue', async () => {
    const { id } = await fixture.endpoint(account, receiver.url(path));
    await whilePaused(async () => {
      await fixture.emit(account, 10);
      await eventually(async () => {
        const log = await fixture.logOf(id);
        expect(log.filter(({ underWay }) => underWay)).toHaveLength(10);
      });
      await Promise.all(queues().map((queue) => queue.drain(true)));
    });
    await fixture.sweep();
    expect(receiver.at(path)).toEqual([]);
    fixture.clock.advance(JOB_LOST_AFTER);
    await finished(id, 10);
    expect(receiver.at(path)).toHaveLength(10);
  });

  it('a delivery whose worker never begins it is delivered by another worker', async () => {
    const { id } = await fixture.endpoint(account, receiver.url(path));
    const own = fixture.get(FirstAttemptsProcessor, { strict: false }).worker;
    const [first] = queues();
    const sick = new Worker(FIRST_ATTEMPTS, () => new Promise(() => undefined), {
      ...first!.opts,
      concurrency: 20,
    });
    sick.on('error', () => undefined);
    const undo = onlyJobs();
    await own.pause();
    await fixture.emit(account, 16);
    await eventually(async () => expect(await first!.getActiveCount()).toBe(16)).finally(undo);
    void own.resume();
    fixture.clock.advance(JOB_LOST_AFTER);
    // A job taken while the sick worker has free slots is lost as well, and made again.
    const healthy = eventually(() => expect(receiver.at(path)).toHaveLength(16), 20_000);
    const lost = setInterval(() => fixture.clock.advance(JOB_LOST_AFTER), 500);
    await healthy.finally(() => clearInterval(lost));
    await finished(id, 16);
    await sick.close(true);
  });

  it('a manual retry at once sends a delivery whose job was lost twice', async () => {
    const { id } = await fixture.endpoint(account, receiver.url(path));
    await whilePaused(async () => {
      await fixture.emit(account);
      await eventually(async () =>
        expect((await fixture.logOf(id))[0]).toMatchObject({ underWay: true }),
      );
      await Promise.all(queues().map((queue) => queue.drain(true)));
      await fixture.database.query(
        `UPDATE webhook_deliveries SET requeued = 2, next_check_at = now() + interval '1 day' WHERE endpoint_id = $1`,
        [id],
      );
    });
    const [delivery] = await fixture.logOf(id);
    await fixture.deliveries.retry('operator', delivery!.id);
    const [delivered] = await finished(id, 1);
    expect(delivered!.attemptLog).toMatchObject([{ kind: 'automatic', status: 204 }]);
  });

  if (env.REDIS_URL)
    it('a lost Redis list does not stop deliveries whose jobs remain', async () => {
      const { id } = await fixture.endpoint(account, receiver.url(path));
      const redis = new Redis(env.REDIS_URL!);
      await whilePaused(async () => {
        await fixture.emit(account, 16);
        await eventually(async () =>
          expect(await redis.llen(`quiz:${FIRST_ATTEMPTS}:wait`)).toBe(16),
        );
        await redis.del(`quiz:${FIRST_ATTEMPTS}:wait`);
        await redis.quit();
      });
      fixture.clock.advance(JOB_LOST_AFTER);
      await finished(id, 16);
      expect(receiver.at(path)).toHaveLength(16);
    });

  it('100 pending retries survive an emptied queue', async () => {
    const { id } = await fixture.endpoint(account, receiver.url(path));
    receiver.answers(path, { status: 500 });
    await fixture.emit(account, 100);
    await eventually(
      async () => {
        const log = await fixture.logOf(id);
        // Written down, not only begun: what ends after the clock is moved waits for a minute that never comes.
        expect(log.filter(({ attemptLog }) => attemptLog.length === 1)).toHaveLength(100);
      },
      ...OF_HUNDREDS,
    );
    await Promise.all(queues().map((queue) => queue.obliterate({ force: true })));
    receiver.answers(path, {});
    fixture.clock.advance(2 * MINUTE);
    await finished(id, 100);
    expect(receiver.at(path)).toHaveLength(200);
  });

  it('an attempt of a killed worker is recorded as interrupted, does not count and is repeated', async () => {
    const { id } = await fixture.endpoint(account, receiver.url(path));
    await whilePaused(async () => {
      await fixture.emit(account);
      // What a worker leaves behind that is killed while it sends.
      await eventually(async () => {
        const [, count] = await fixture.database.query(
          `UPDATE webhook_deliveries SET state = 'leased', lease_token = gen_random_uuid(), leased_at = $2,
             next_check_at = $3, attempts = 1 WHERE endpoint_id = $1 AND state = 'queued'`,
          [id, fixture.clock.now(), new Date(fixture.clock.now().getTime() + leaseFor(30_000))],
        );
        expect(count).toBe(1);
      });
    });
    await fixture.sweep();
    expect((await fixture.logOf(id))[0]!.attemptLog).toEqual([]);
    fixture.clock.advance(leaseFor(30_000));
    const [delivery] = await finished(id, 1);
    expect(delivery!.attemptLog).toMatchObject([
      { number: 1, kind: 'interrupted', status: null, error: null, durationMs: null },
      { number: 2, kind: 'automatic', status: 204 },
    ]);
    const [row] = await fixture.database.query(
      `SELECT automatic_attempts FROM webhook_deliveries WHERE endpoint_id = $1`,
      [id],
    );
    expect(row.automatic_attempts).toBe(1);
  });

  it.each([
    ['that is gone', 'gen_random_uuid()'],
    ['whose heartbeat has stopped', `(SELECT id FROM webhook_workers WHERE host = 'killed')`],
  ])('the lease of a worker %s is released before it expires', async (_which, worker) => {
    const { id } = await fixture.endpoint(account, receiver.url(path));
    await fixture.database.query(
      `INSERT INTO webhook_workers (id, host, pid, queue, queue_answers, started_at, seen_at)
       VALUES (gen_random_uuid(), 'killed', 1, 'redis', true, now(), now() - interval '8 seconds')`,
    );
    await whilePaused(async () => {
      await fixture.emit(account);
      await eventually(async () => {
        const [, count] = await fixture.database.query(
          `UPDATE webhook_deliveries SET state = 'leased', lease_token = gen_random_uuid(), leased_at = now(),
             leased_by = ${worker}, next_check_at = now() + interval '1 day', attempts = 1
           WHERE endpoint_id = $1 AND state = 'queued'`,
          [id],
        );
        expect(count).toBe(1);
      });
    });
    const [delivery] = await finished(id, 1);
    expect(delivery!.attemptLog.map(({ kind }) => kind)).toEqual(['interrupted', 'automatic']);
    await fixture.database.query(`DELETE FROM webhook_workers WHERE host = 'killed'`);
  });

  it('a new worker releases the lease of an exited process on its host within six seconds', async () => {
    const { id } = await fixture.endpoint(account, receiver.url(path));
    const { pid } = spawnSync('true');
    const ended = randomUUID();
    const setTimes = async () => {
      await fixture.database.query(
        `INSERT INTO webhook_workers AS w (id, host, pid, queue, queue_answers, started_at, seen_at)
         VALUES ($1, $2, $3, 'redis', true, now(), now() - interval '4 seconds')
         ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`,
        [ended, hostname(), pid],
      );
      const justStarted = `UPDATE webhook_workers SET steady_since = now() WHERE id <> $1`;
      await fixture.database.query(justStarted, [ended]);
    };
    let silent = setTimes();
    await silent;
    const stays = setInterval(() => void (silent = setTimes()), 500);
    await whilePaused(async () => {
      await fixture.emit(account);
      await eventually(async () => {
        const [, count] = await fixture.database.query(
          `UPDATE webhook_deliveries SET state = 'leased', lease_token = gen_random_uuid(), leased_at = now(),
             leased_by = $2, next_check_at = now() + interval '1 day', attempts = 1
           WHERE endpoint_id = $1 AND state = 'queued'`,
          [id, ended],
        );
        expect(count).toBe(1);
      });
    });
    const [delivery] = await finished(id, 1).finally(() => clearInterval(stays));
    expect(delivery!.attemptLog.map(({ kind }) => kind)).toEqual(['interrupted', 'automatic']);
    await silent;
    await fixture.database.query(`DELETE FROM webhook_workers WHERE id = $1`, [ended]);
  });

  it('the result of an attempt is ignored when its lease has passed to another worker', async () => {
    const { id } = await fixture.endpoint(account, receiver.url(path));
    receiver.answers(path, { status: 500, delay: 1_000 }, { status: 204 });
    await fixture.emit(account);
    await eventually(() => expect(receiver.at(path)).toHaveLength(1));
    fixture.clock.advance(leaseFor(30_000));
    const [before] = await finished(id, 1);
    await eventually(() => expect(receiver.open.get(path)).toBe(0));
    // The 500 of the first worker comes in and finds the delivery delivered.
    // `headersNow` is signed when it is read.
    const stored = { ...before, headersNow: expect.any(Object) as object };
    await eventually(async () => expect(await fixture.logOf(id)).toEqual([stored]));
    expect(before!.attemptLog.map(({ kind }) => kind)).toEqual(['interrupted', 'automatic']);
  });

  it('two workers and two relays make one delivery and one request per event', async () => {
    const second = await fixture.startWorker();
    const { id } = await fixture.endpoint(account, receiver.url(path));
    const events = await fixture.emit(account, 300);
    await finished(id, 200);
    await eventually(() => expect(receiver.at(path)).toHaveLength(300));
    expect(new Set(receiver.at(path).map((got) => got.id))).toEqual(new Set(events));
    await second.close();
    const [row] = await fixture.database.query(
      `SELECT count(*)::int FROM webhook_deliveries WHERE endpoint_id = $1`,
      [id],
    );
    expect(row.count).toBe(300);
  });

  it('a stopping worker completes its request, and no request is made twice', async () => {
    const second = await fixture.startWorker();
    const { id } = await fixture.endpoint(account, receiver.url(path));
    receiver.answers(path, { delay: 700 });
    await fixture.emit(account, 4);
    await eventually(() => expect(receiver.at(path)).toHaveLength(4));
    await second.close();
    const [delivery] = await finished(id, 4);
    expect(delivery!.attemptLog).toHaveLength(1);
    expect(receiver.at(path)).toHaveLength(4);
  });

  it('a running worker is reported by its heartbeat', async () => {
    const workers = await eventually(async () => {
      const list = await fixture.get(WorkersService, { strict: false }).list();
      expect(list).toHaveLength(1);
      return list;
    });
    expect(workers[0]).toMatchObject({
      alive: true,
      queueAnswers: true,
      queue: env.REDIS_URL ? 'redis' : 'postgres',
      pid: process.pid,
    });
  });
});
