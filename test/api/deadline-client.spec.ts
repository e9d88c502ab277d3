import { Pool, type PoolConfig } from 'pg';
import { DataSource } from 'typeorm';
import { DeadlineClient, liftStatementTimeout } from '../../src/platform/database/deadline-client';
import { query, sql } from '../../src/platform/database/sql';
import { cloneDatabase, type TestDatabase } from '../support/database';
import { FreezingProxy } from '../support/freezing-proxy';

describe('a connection to PostgreSQL with a deadline', () => {
  let database: TestDatabase;
  let proxy: FreezingProxy;
  let pool: Pool;

  beforeAll(async () => {
    database = await cloneDatabase();
    proxy = await FreezingProxy.start(database.url);
    pool = new Pool({
      connectionString: proxy.url,
      max: 1,
      Client: DeadlineClient,
      responseWithin: 500,
    } as PoolConfig);
    pool.on('error', () => undefined);
  });
  afterAll(async () => {
    await pool.end();
    await proxy.close();
    await database.drop();
  });

  it('a connection that goes silent within a transaction fails its statements and is replaced by the pool', async () => {
    const client = await pool.connect();
    await client.query('BEGIN');
    proxy.freeze();
    const both = [client.query('SELECT 1'), client.query('SELECT 2')];
    for (const statement of both)
      await expect(statement).rejects.toThrow('PostgreSQL did not respond within 500 ms');
    await expect(client.query('ROLLBACK')).rejects.toThrow();
    client.release();
    expect((await pool.query('SELECT 3 AS n')).rows).toEqual([{ n: 3 }]);
  });

  it('an idle connection has no deadline', async () => {
    const client = await pool.connect();
    await client.query('SELECT 1');
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect((await client.query('SELECT 2 AS n')).rows).toEqual([{ n: 2 }]);
    client.release();
  });

  describe('after liftStatementTimeout', () => {
    const slow = sql`SELECT pg_sleep(0.8)`;
    let source: DataSource;

    beforeAll(async () => {
      source = new DataSource({
        type: 'postgres',
        url: database.url,
        poolSize: 1,
        poolErrorHandler: () => undefined,
        extra: { Client: DeadlineClient, responseWithin: 500 },
      });
      await source.initialize();
    });
    afterAll(() => source.destroy());

    it('a statement has no deadline until its transaction ends', async () => {
      await source.transaction(async (tx) => {
        await liftStatementTimeout(tx);
        await query(tx, slow);
      });
      await expect(query(source, slow)).rejects.toThrow('did not respond within 500 ms');
    });

    it('the commit has none either: it runs deferred triggers', async () => {
      await source.query(`
        CREATE TABLE slowly_committed (n int);
        CREATE FUNCTION commit_slowly() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN PERFORM pg_sleep(0.8); RETURN NULL; END';
        CREATE CONSTRAINT TRIGGER commit_slowly AFTER INSERT ON slowly_committed DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION commit_slowly()`);
      const insert = sql`INSERT INTO slowly_committed VALUES (1)`;
      await source.transaction(async (tx) => {
        await liftStatementTimeout(tx);
        await query(tx, insert);
      });
      expect(await query(source, sql`SELECT n FROM slowly_committed`)).toEqual([{ n: 1 }]);
      await expect(query(source, insert)).rejects.toThrow('did not respond within 500 ms');
    });
  });
});
