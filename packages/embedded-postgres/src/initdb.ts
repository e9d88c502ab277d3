import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chown, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DATABASE_NAME, INIT_PREFIX, type Layout } from './data-directory';
import { type Binaries, commandFor, type RunAs } from './programs';
import { failure, openLog, readNewLog } from './server-log';

/**
 * The character classes of the C library, which pg_trgm still asks: under plain "C" it sees no
 * letters outside ASCII at all. Not every system has a C.UTF-8 (macOS before 15, Windows).
 */
const CHARACTER_TYPES = ['C.UTF-8', 'en_US.UTF-8', 'C'] as const;

/**
 * Makes the data directory and its password. Everything is done in a sibling directory that is
 * renamed at the end, so a kill at any moment leaves either a complete data directory or none.
 * @param until when initdb must be done, in ms since the epoch
 * @param sync whether the files must survive a power cut
 * @param signal ends initdb, and rejects with its reason when initdb has ended
 */
export async function initialiseCluster(
  layout: Layout,
  { initdb }: Binaries,
  runAs: RunAs,
  until: number,
  sync: boolean,
  signal?: AbortSignal,
): Promise<void> {
  signal?.throwIfAborted();
  const work = await mkdtemp(join(layout.dataDir, INIT_PREFIX));
  const log = await openLog(layout.logFile);
  const runInitdb = async (characterType: string): Promise<string> => {
    const { command, args, ...user } = commandFor(runAs, initdb, [
      `--pgdata=${join(work, 'cluster')}`,
      `--username=${DATABASE_NAME}`,
      `--pwfile=${join(work, 'password')}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--locale=C',
      `--lc-ctype=${characterType}`,
      '--text-search-config=english',
      ...(sync ? [] : ['--no-sync']),
    ]);
    const child = spawn(command, args, {
      ...user,
      stdio: ['ignore', log.handle.fd, log.handle.fd],
      cwd: work,
      timeout: Math.max(1, until - Date.now()),
      killSignal: 'SIGKILL',
      windowsHide: true,
    });
    // Not the option `signal`, which rejects at once: initdb cleans up before it ends.
    const stop = () => child.kill();
    signal?.addEventListener('abort', stop);
    if (signal?.aborted) stop();
    const [code, name] = (await once(child, 'exit')) as [number | null, string | null];
    signal?.removeEventListener('abort', stop);
    signal?.throwIfAborted();
    return String(code ?? name);
  };
  try {
    const password = randomBytes(24).toString('hex');
    const passwordFile = join(work, 'password');
    await writeFile(passwordFile, password, { mode: 0o600 });
    if (runAs.owner)
      for (const path of [work, passwordFile]) await chown(path, runAs.owner.uid, runAs.owner.gid);
    for (const characterType of CHARACTER_TYPES) {
      const ended = await runInitdb(characterType);
      if (ended === '0') break;
      if (characterType === 'C' || !/invalid locale name/.test(await readNewLog(log)))
        throw await failure(`initdb ended with ${ended}`, log);
    }
    // The password first: a data directory without it would be locked for ever.
    await writeFile(join(work, 'password.final'), password, { mode: 0o600 });
    await rename(join(work, 'password.final'), layout.passwordFile);
    await rename(join(work, 'cluster'), layout.cluster).catch(async (error: Error) => {
      throw await failure(`${layout.cluster} is in the way (${error.message})`, log);
    });
  } finally {
    await log.handle.close();
    await rm(work, { recursive: true, force: true }).catch(() => undefined);
  }
}
