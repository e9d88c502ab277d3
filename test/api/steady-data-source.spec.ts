import type { EntityManager } from 'typeorm';
import { startService, type Service } from '../support/service';

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

  it('a transaction that deadlocks repeatedly fails', async () => {
    let tries = 0;
    const work = service.database.transaction(async (tx) => {
      tries++;
      await tx.query(
        `DO $$ BEGIN RAISE EXCEPTION 'as PostgreSQL does' USING ERRCODE = '40P01'; END $$`,
      );
    });
    await expect(work).rejects.toMatchObject({ code: '40P01' });
    expect(tries).toBe(3);
  });
});
