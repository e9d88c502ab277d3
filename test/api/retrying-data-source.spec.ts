import { tmpdir } from 'node:os';
import { Client } from 'pg';
import type { EntityManager } from 'typeorm';
import { Account } from '../../src/access/accounts/account.entity';
import { isUnavailable } from '../../src/platform/database/database-errors';
import { eventually } from '../support/clock';
import { type Service, startService } from '../support/service';

/** Two rows that two transactions lock in opposite orders. */
describe('deadlocked transactions', () => {
  let service: Service;

  beforeAll(async () => {
    service = await startService();
    await service.database.query(
      `CREATE TABLE pair (id int PRIMARY KEY, n int NOT NULL); INSERT INTO pair VALUES (1, 0), (2, 0)`,
    );
  });
  afterAll(() => service.close());

  const lock = (tx: EntityManager, id: number) =>
    tx.query(`UPDATE pair SET n = n + 1 WHERE id = $1`, [id]);

  /** Each has its first row before either asks for its second; later tries come when they may. */
  function meet() {
    let waiting = 0;
    let both!: () => void;
    const met = new Promise<void>((resolve) => (both = resolve));
    return () => {
      if (++waiting === 2) both();
      return met;
    };
  }

  it('two deadlocked transactions both complete, each once', async () => {
    const here = meet();
    let tries = 0;
    const transfer = (first: number, second: number) =>
      service.database.transaction(async (tx) => {
        tries++;
        await lock(tx, first);
        await here();
        await lock(tx, second);
      });
    await Promise.all([transfer(1, 2), transfer(2, 1)]);
    expect(tries).toBe(3);
    expect(await service.database.query(`SELECT n FROM pair ORDER BY id`)).toEqual([
      { n: 2 },
      { n: 2 },
    ]);
  });

  it.each([
    ['the data source', () => service.database],
    ['its manager', () => service.database.manager],
    ['the manager of a repository', () => service.database.getRepository(Account).manager],
  ])('a transaction of %s that deadlocks repeatedly fails', async (_, from) => {
    let tries = 0;
    const work = from().transaction(async (tx) => {
      tries++;
      await tx.query(
        `DO $$ BEGIN RAISE EXCEPTION 'as PostgreSQL does' USING ERRCODE = '40P01'; END $$`,
      );
    });
    await expect(work).rejects.toMatchObject({ code: '40P01' });
    expect(tries).toBe(3);
  });

  it('a transaction within one that deadlocks is not repeated alone', async () => {
    let [whole, part] = [0, 0];
    await service.database.manager.transaction(async (tx) => {
      whole++;
      await tx.transaction(async (savepoint) => {
        if (++part === 1)
          await savepoint.query(
            `DO $$ BEGIN RAISE EXCEPTION 'as PostgreSQL does' USING ERRCODE = '40P01'; END $$`,
          );
      });
    });
    expect([whole, part]).toEqual([2, 2]);
  });
});

describe('transactions whose connection ends', () => {
  let service: Service;

  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  it.each([
    ['a statement', (tx: EntityManager) => tx.query('SELECT 1')],
    ['a transaction within it', (tx: EntityManager) => tx.transaction(() => Promise.resolve([]))],
  ])('after the end of its connection, %s fails as an unavailable database', async (_, next) => {
    const other = new Client({ connectionString: service.databaseUrl });
    await other.connect();
    const work = service.database.transaction(async (tx) => {
      const [row] = await tx.query<{ pid: number }[]>('SELECT pg_backend_pid() AS pid');
      await other.query('SELECT pg_terminate_backend($1)', [row?.pid]);
      // TypeORM hears of it when the socket ends.
      await eventually(() => expect(tx.queryRunner?.isReleased).toBe(true));
      await next(tx);
    });
    const error: unknown = await work.catch((it: unknown) => it);
    await other.end();
    expect(error).toBeInstanceOf(Error);
    expect(isUnavailable(error)).toBe(true);
  });

  it('a transaction that PostgreSQL ends because the process is busy fails as an unavailable database', async () => {
    const work = service.database.transaction(async (tx) => {
      await tx.query('SET LOCAL idle_in_transaction_session_timeout = 50');
      // Nothing reads the connection meanwhile, so the next statement is sent before its end is noticed.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
      await tx.query('SELECT 1');
    });
    const error: unknown = await work.catch((it: unknown) => it);
    expect(error).toMatchObject({ code: '25P03' });
    expect(isUnavailable(error)).toBe(true);
  });

  it('a server whose socket file is gone is an unavailable database', async () => {
    const client = new Client({ host: tmpdir(), port: 1 });
    const error: unknown = await client.connect().catch((it: unknown) => it);
    expect(error).toMatchObject({ code: 'ENOENT' });
    expect(isUnavailable(error)).toBe(true);
  });
});
