import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres, layoutOf, readPostmaster } from '#embedded-postgres';
import { migrate } from '../../dist/platform/database/migrate.js';

/** An embedded PostgreSQL of this bench's own, with the settings that the service gives it, and further ones. */
export async function startPostgres(defer, settings = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'quiz-bench-'));
  defer(() => rmSync(dataDir, { recursive: true, force: true }));
  const server = await startEmbeddedPostgres({ dataDir, settings });
  defer(() => server.stop());
  const { pid } = await readPostmaster(layoutOf(dataDir));
  return {
    pid,
    /** @returns the URL of a new, empty database */
    async createDatabase(name) {
      const client = new pg.Client({ connectionString: server.url });
      await client.connect();
      await client.query(`CREATE DATABASE "${name}"`).finally(() => client.end());
      const url = new URL(server.url);
      url.pathname = `/${name}`;
      return url.href;
    },
  };
}

/** The same with a database that has the schema and one account, and a client of it. `owner` is the account's id. */
export async function startWithOwner(name, defer) {
  const postgres = await startPostgres(defer);
  const url = await postgres.createDatabase(name);
  await migrate(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  defer(() => client.end());
  const owner = randomUUID();
  await client.query(
    `INSERT INTO accounts (id, email, email_key, plan, created_at) VALUES ($1, 'a@bench.invalid', 'a@bench.invalid', 'pro', now())`,
    [owner],
  );
  return { postgres, url, client, owner };
}
