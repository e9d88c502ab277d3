import { rmSync } from 'node:fs';
import type { EmbeddedPostgres } from '../../src/platform/embedded-postgres/embedded-postgres';

export default async function globalTeardown(): Promise<void> {
  const { embeddedPostgres, dropTemplate } = globalThis as {
    embeddedPostgres?: EmbeddedPostgres & { dataDir?: string };
    dropTemplate?: () => Promise<void>;
  };
  await dropTemplate?.();
  await embeddedPostgres?.stop();
  const folder = process.env.TEST_DATA_DIR;
  if (folder) rmSync(folder, { recursive: true, force: true });
}
