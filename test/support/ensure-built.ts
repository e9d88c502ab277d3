import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/**
 * Compiles the service as `npm start` does, unless it is up to date: for tests that start what is in dist/.
 * @throws Error when it does not compile, or tests would judge what an earlier build has left
 */
export function ensureBuilt(): void {
  const { status } = spawnSync(process.execPath, ['scripts/ensure-built.mjs'], {
    cwd: join(__dirname, '../..'),
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) throw new Error('The service was not built.');
}
