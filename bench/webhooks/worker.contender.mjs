import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AccountsService } from '../../dist/access/accounts/accounts.service.js';
import { Outbox } from '../../dist/events/outbox.js';
import { Clock } from '../../dist/platform/clock.js';
import { migrate } from '../../dist/platform/database/migrate.js';
import { EndpointsService } from '../../dist/webhooks/endpoints/endpoints.service.js';
import { DataSource } from 'typeorm';
import { Child } from '../support/child.mjs';
import { cpuOf } from '../support/cpu.mjs';
import { openServices } from '../support/services.mjs';

/** Our worker, as `npm run start:worker` runs it, on a database of its own. */
export class Worker {
  /**
   * @param redis where the queue is; null: in PostgreSQL
   * @param execArgv Node's own options for the worker
   */
  static async start({ name, postgres, redis, endpoints, receiverUrl, execArgv, defer }) {
    const databaseUrl = await postgres.createDatabase(`bench_${randomUUID()}`);
    await migrate(databaseUrl);
    const env = {
      DATABASE_URL: databaseUrl,
      REDIS_URL: redis?.url ?? '',
      ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
      // The receiver is on the loopback address, by http.
      WEBHOOK_ALLOW_INSECURE: 'true',
      LOG_LEVEL: 'warn',
    };
    const services = await openServices(databaseUrl, env);
    defer(() => services.close());
    const { child } = await Child.start('../dist/bin/worker.js', { env, execArgv });
    defer(() => child.stop());
    const worker = Object.assign(new Worker(), { name, child, services, postgres, redis });
    worker.database = services.of(DataSource);
    worker.outbox = new Outbox(services.of(Clock));
    worker.endpoints = [];
    for (let number = 0; number < endpoints; number++)
      worker.endpoints.push(await worker.#addEndpoint(`${receiverUrl}/${randomUUID()}`));
    return worker;
  }

  /** Each with an account of its own, so that an event makes one delivery. */
  async #addEndpoint(url) {
    const { id: accountId } = await this.services
      .of(AccountsService)
      .createIn(this.database.manager, { email: `${randomUUID()}@example.com`, plan: 'pro' });
    const events = ['quiz.created'];
    const endpoints = this.services.of(EndpointsService);
    const { secret } = await endpoints.add(accountId, { url, events });
    return { accountId, secret };
  }

  /** @returns what will be sent, and how to send it: by the commit of the transaction that recorded it */
  async prepare(count) {
    await this.vacuum();
    const tx = this.database.createQueryRunner();
    await tx.startTransaction();
    for (let number = 0; number < count; number++) {
      const { accountId } = this.endpoints[number % this.endpoints.length];
      await this.outbox.record(tx.manager, [
        { name: 'quiz.created', accountId, data: dataOf(number, accountId) },
      ]);
    }
    const events = await tx.query(
      `SELECT id, account_id FROM outbox_events WHERE relayed_at IS NULL`,
    );
    const secrets = new Map(this.endpoints.map(({ accountId, secret }) => [accountId, secret]));
    return {
      sent: new Map(events.map(({ id, account_id }) => [id, secrets.get(account_id)])),
      run: async (arrived) => {
        const before = this.cpu();
        await tx.commitTransaction();
        await tx.release();
        await arrived;
        const ended = await this.#allDelivered(events.map(({ id }) => id));
        const after = this.cpu();
        const cpu = Object.fromEntries(
          Object.entries(after).map(([part, spent]) => [part, spent - before[part]]),
        );
        return { took: ended - (await this.#relayBegan(events)), cpu };
      },
    };
  }

  /** Autovacuum would come by in one round and not in the next. */
  async vacuum() {
    await this.database.query('VACUUM ANALYZE outbox_events, webhook_deliveries, webhook_attempts');
  }

  /**
   * Commits events one by one.
   * @param every milliseconds
   * @returns when each was committed, by its quiz: the moment before COMMIT was sent
   */
  async emit(count, every) {
    const committed = new Map();
    const begun = performance.now();
    const emitOne = async (number) => {
      const { accountId } = this.endpoints[number % this.endpoints.length];
      const tx = this.database.createQueryRunner();
      await tx.startTransaction();
      const data = dataOf(number, accountId);
      await this.outbox.record(tx.manager, [{ name: 'quiz.created', accountId, data }]);
      committed.set(data.quiz_id, performance.timeOrigin + performance.now());
      await tx.commitTransaction();
      await tx.release();
    };
    const all = [];
    for (let number = 0; number < count; number++) {
      const ahead = begun + number * every - performance.now();
      if (ahead > 0) await sleep(ahead);
      all.push(emitOne(number));
    }
    await Promise.all(all);
    return committed;
  }

  cpu() {
    const { child, postgres, redis } = this;
    return {
      node: cpuOf(child.pid),
      postgres: cpuOf(postgres.pid),
      redis: redis ? cpuOf(redis.pid) : 0,
    };
  }

  /** Every event has arrived: the last outcomes are about to be written. */
  async #allDelivered(ids) {
    for (;;) {
      const [{ count }] = await this.database.query(DELIVERED, [ids]);
      if (count === ids.length) return Date.now();
      await sleep(5);
    }
  }

  /** The worker begins when a notification wakes it: that wait is no part of a delivery's cost. */
  async #relayBegan(events) {
    const [{ began }] = await this.database.query(
      `SELECT min(relayed_at) AS began FROM outbox_events WHERE id = ANY($1::uuid[])`,
      [events.map(({ id }) => id)],
    );
    return began.getTime();
  }
}

const dataOf = (number, accountId) => ({
  quiz_id: randomUUID(),
  title: `Quiz ${number}`,
  category: null,
  created_by: accountId,
});

/** Delivered by exactly one recorded attempt. */
const DELIVERED = `
SELECT count(*)::int AS count FROM webhook_deliveries d
WHERE event_id = ANY($1::uuid[]) AND status = 'delivered' AND attempts = 1
  AND EXISTS (SELECT 1 FROM webhook_attempts a WHERE a.delivery_id = d.id AND a.status = 204)`;
