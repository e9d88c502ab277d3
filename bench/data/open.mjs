import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate } from '../../dist/platform/database/migrate.js';
import { startEmbeddedPostgres, layoutOf, readPostmaster } from '#embedded-postgres';
import { load } from './load.mjs';
import { quizzesAt } from './scales.mjs';

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

/** Counts what was added to the data: earlier data is made again. */
const VERSION = 3;

/**
 * The embedded database of a scale: made when it is not there yet, migrated when it is.
 * @returns its url, the server's process id, and `loaded`: whether it was made by this call
 * @throws when there is no such scale, or the directory holds anything else
 */
export async function openData(scale, { dataDir, say } = {}) {
  // Refuses an unknown scale before anything is made.
  quizzesAt(scale);
  const directory = resolve(dataDir ?? join(root, 'data', `bench-${scale}`));
  // Only a directory with this file is ever deleted.
  const marker = join(directory, 'bench.json');
  const mark = (isComplete) =>
    writeFileSync(marker, JSON.stringify({ scale, version: VERSION, isComplete }));
  const found = existsSync(marker) ? JSON.parse(readFileSync(marker, 'utf8')) : null;
  if (!found && existsSync(directory) && readdirSync(directory).length > 0)
    throw new Error(`${directory} is not a bench database: choose an empty folder, or delete this one.`);
  if (found && found.scale !== scale)
    throw new Error(`${directory} has the scale ${found.scale}: choose another folder.`);
  // What is not complete was interrupted.
  const loaded = !found?.isComplete || found.version !== VERSION;
  if (loaded) {
    if (found) rmSync(directory, { recursive: true });
    mkdirSync(directory, { recursive: true });
    mark(false);
  }
  const server = await startEmbeddedPostgres({ dataDir: directory, settings: SETTINGS });
  try {
    if (loaded) {
      await load(server.url, scale, say);
      mark(true);
    } else await migrate(server.url);
  } catch (error) {
    await server.stop();
    throw error;
  }
  const { pid } = await readPostmaster(layoutOf(directory));
  return { dataDir: directory, url: server.url, pid, loaded, close: () => server.stop() };
}
