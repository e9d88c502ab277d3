import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres/embedded-postgres';
import { reachDatabase } from '../../src/platform/database/reach';
import { migrate } from '../../src/platform/database/migrate';
import { createDatabase, dropDatabase, urlOf } from './database';

/**
 * One PostgreSQL for the whole run (the embedded one where no DATABASE_URL is given) and in it one
 * migrated template, which every test file clones.
 */
export default async function globalSetup(): Promise<void> {
  let server = process.env.DATABASE_URL;
  if (server) {
    await reachDatabase(server, { patience: 10_000 });
  } else {
    const embedded = await startEmbeddedPostgres({
      dataDir: mkdtempSync(join(tmpdir(), 'quiz-test-')),
      // Nothing here has to survive a power cut.
      settings: {
        fsync: 'off',
        synchronous_commit: 'off',
        full_page_writes: 'off',
        max_connections: '300',
      },
    });
    (globalThis as { embeddedPostgres?: unknown }).embeddedPostgres = embedded;
    server = embedded.url;
  }
  const template = `quiz_template_${process.pid}`;
  await createDatabase(server, template);
  await migrate(urlOf(server, template));
  process.env.TEST_SERVER_URL = server;
  process.env.TEST_TEMPLATE = template;
  // The settings of the person who runs the tests must not reach the service under test.
  for (const name of ['DATABASE_URL', 'DATA_DIR', 'PORT', 'MODERATION', 'RATE_LIMIT_PER_MINUTE'])
    delete process.env[name];
  (globalThis as { dropTemplate?: unknown }).dropTemplate = () => dropDatabase(server, template);
}
