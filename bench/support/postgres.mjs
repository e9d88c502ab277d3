import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres, layoutOf, readPostmaster } from '#embedded-postgres';

/** An embedded PostgreSQL of this bench's own, with the settings that the service gives it. */
export async function startPostgres(defer) {
  const dataDir = mkdtempSync(join(tmpdir(), 'quiz-bench-'));
  defer(() => rmSync(dataDir, { recursive: true, force: true }));
  const server = await startEmbeddedPostgres({ dataDir });
  defer(() => server.stop());
  const { pid } = await readPostmaster(layoutOf(dataDir));
  return {
    pid,
    /** @returns the URL of a new, empty database */
    async createDatabase(name) {
      const client = new pg.Client({ connectionString: server.url });
      await client.connect();
      await client.query(`CREATE DATABASE "${name}"`);
      await client.end();
      const url = new URL(server.url);
      url.pathname = `/${name}`;
      return url.href;
    },
  };
}
