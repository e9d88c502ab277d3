import { existsSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate } from '../../dist/platform/database/migrate.js';
import { startEmbeddedPostgres, layoutOf, readPostmaster } from '#embedded-postgres';
import { load } from './load.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Nothing here must survive a power cut; memory as a small server would have it. */
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  shared_buffers: '2GB',
  effective_cache_size: '8GB',
  max_wal_size: '8GB',
  checkpoint_timeout: '1h',
  shared_preload_libraries: 'pg_stat_statements',
};

/**
 * The embedded database of a scale: made when it is not there yet, migrated when it is.
 * @returns its url, the server's process id, and `loaded`: whether it was made by this call
 */
export async function openData(scale, { dataDir, say } = {}) {
  const directory = resolve(dataDir ?? join(root, 'data', `bench-${scale}`));
  // The number counts what was added to the data: earlier data is made again.
  const complete = join(directory, 'complete-2');
  const loaded = !existsSync(complete);
  // What is not complete was interrupted.
  if (loaded && existsSync(join(directory, 'postgres')))
    await rm(directory, { recursive: true, force: true });
  const server = await startEmbeddedPostgres({ dataDir: directory, settings: SETTINGS });
  try {
    if (loaded) {
      await load(server.url, scale, say);
      writeFileSync(complete, '');
    } else await migrate(server.url);
  } catch (error) {
    await server.stop();
    throw error;
  }
  const { pid } = await readPostmaster(layoutOf(directory));
  return { dataDir: directory, url: server.url, pid, loaded, close: () => server.stop() };
}
