import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { cloneDatabase, type TestDatabase } from '../support/database';
import { ensureBuilt } from '../support/ensure-built';

/** `bench/generate.mjs` writes to no database that somebody uses. */

const root = join(__dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'quiz-bench-data-'));
let database: TestDatabase;

beforeAll(async () => {
  ensureBuilt();
  database = await cloneDatabase();
}, 120_000);
afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true });
});

function generate(...args: string[]) {
  const { status, stderr } = spawnSync('node', ['bench/generate.mjs', ...args], {
    cwd: root,
    encoding: 'utf8',
  });
  return { status, stderr };
}

describe('bench/generate.mjs', () => {
  it('refuses a data directory that is no bench database, and deletes nothing', () => {
    const used = join(folder, 'used');
    mkdirSync(join(used, 'postgres'), { recursive: true });
    writeFileSync(join(used, 'postgres/PG_VERSION'), '18');
    expect(generate('--data-dir', used)).toEqual({
      status: 1,
      stderr: expect.stringContaining(
        `${used} is not a bench database: choose an empty folder, or delete this one.`,
      ) as string,
    });
    expect(readFileSync(join(used, 'postgres/PG_VERSION'), 'utf8')).toBe('18');
  });

  it('refuses a bench database of another scale, and deletes nothing', () => {
    const large = join(folder, 'large');
    mkdirSync(large);
    writeFileSync(join(large, 'bench.json'), '{"scale":"100k","version":0,"isComplete":false}');
    writeFileSync(join(large, 'rows'), 'kept');
    expect(generate('--scale', '1k', '--data-dir', large)).toEqual({
      status: 1,
      stderr: expect.stringContaining(
        `${large} has the scale 100k: choose another folder.`,
      ) as string,
    });
    expect(readFileSync(join(large, 'rows'), 'utf8')).toBe('kept');
  });

  it('refuses a database that has accounts', async () => {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    await client.query(
      `INSERT INTO accounts (id, email, email_key, plan, created_at)
       VALUES (gen_random_uuid(), 'a@example.com', 'a@example.com', 'pro', now())`,
    );
    const refused = generate('--database', database.url);
    const { rows } = await client.query('SELECT count(*)::int AS accounts FROM accounts');
    await client.end();
    expect(refused).toEqual({
      status: 1,
      stderr: expect.stringContaining('The database has accounts: choose an empty one.') as string,
    });
    expect(rows).toEqual([{ accounts: 1 }]);
  });

  it('refuses an unknown scale before it creates anything', () => {
    const none = join(folder, 'unknown-scale');
    expect(generate('--scale', 'constructor', '--data-dir', none)).toEqual({
      status: 1,
      stderr: expect.stringContaining('--scale must be one of: 1k, 100k, 1m.') as string,
    });
    expect(existsSync(none)).toBe(false);
  });

  it('refuses a data directory together with a database', () => {
    expect(generate('--data-dir', join(folder, 'none'), '--database', database.url)).toEqual({
      status: 1,
      stderr: expect.stringContaining('Give --data-dir or --database, not both.') as string,
    });
  });
});
