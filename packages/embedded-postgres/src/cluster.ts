import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { access, chown, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Binaries } from './binaries';
import { DATABASE_NAME, INIT_PREFIX, type Layout } from './layout';
import { commandFor, type RunAs } from './run-as';
import { failure, openLog, readNewLog, type OpenLog } from './server-log';

/**
 * The character classes of the C library, which pg_trgm still asks: under plain "C" it sees no
 * letters outside ASCII at all. Not every system has a C.UTF-8 (macOS before 15, Windows).
 */
const CHARACTER_TYPES = ['C.UTF-8', 'en_US.UTF-8', 'C'] as const;

/** Whether the data directory is there; it appears only when it is complete. */
export async function isInitialised(layout: Layout): Promise<boolean> {
  return access(join(layout.cluster, 'PG_VERSION')).then(
    () => true,
    () => false,
  );
}

/** The password of the database user. */
export async function readPassword(layout: Layout): Promise<string> {
  try {
    return (await readFile(layout.passwordFile, 'utf8')).trim();
  } catch (error) {
    throw new Error(
      `The password of ${layout.cluster} cannot be read (${(error as Error).message}): ` +
        'restore the file, or move the data directory away to begin with an empty database',
      { cause: error },
    );
  }
}

/** Removes what an interrupted initialisation left. Only the holder of the lock may call it. */
export async function removeUnfinished(layout: Layout): Promise<void> {
  const names = await readdir(layout.dataDir);
  for (const name of names.filter((each) => each.startsWith(INIT_PREFIX))) {
    // An initdb whose parent was killed may still be writing: the next start gets what stays.
    await rm(join(layout.dataDir, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

/**
 * Makes the data directory and its password. Everything is done in a sibling directory that is
 * renamed at the end, so a kill at any moment leaves either a complete data directory or none.
 */
export async function initialiseCluster(
  layout: Layout,
  binaries: Binaries,
  runAs: RunAs,
  options: { until: number; sync: boolean },
): Promise<void> {
  const work = await mkdtemp(join(layout.dataDir, INIT_PREFIX));
  const log = await openLog(layout.logFile);
  try {
    const password = randomBytes(24).toString('hex');
    const passwordFile = join(work, 'password');
    await writeFile(passwordFile, password, { mode: 0o600 });
    if (runAs.owner) {
      for (const path of [work, passwordFile]) {
        await chown(path, runAs.owner.uid, runAs.owner.gid);
      }
    }
    await runInitdb(work, log, binaries, runAs, options);
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

async function runInitdb(
  work: string,
  log: OpenLog,
  binaries: Binaries,
  runAs: RunAs,
  options: { until: number; sync: boolean },
): Promise<void> {
  for (const characterType of CHARACTER_TYPES) {
    const ended = await runOnce(work, log, binaries, runAs, options, characterType);
    if (ended === '0') return;
    if (!/invalid locale name/.test(await readNewLog(log)) || characterType === 'C') {
      throw await failure(`initdb ended with ${ended}`, log);
    }
  }
}

/** Exit code or signal, as text. */
async function runOnce(
  work: string,
  log: OpenLog,
  binaries: Binaries,
  runAs: RunAs,
  options: { until: number; sync: boolean },
  characterType: string,
): Promise<string> {
  const { command, args, ...user } = commandFor(runAs, binaries.initdb, [
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
    ...(options.sync ? [] : ['--no-sync']),
  ]);
  const child = spawn(command, args, {
    ...user,
    stdio: ['ignore', log.handle.fd, log.handle.fd],
    cwd: work,
    timeout: Math.max(1, options.until - Date.now()),
    killSignal: 'SIGKILL',
    windowsHide: true,
  });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  return String(code ?? signal);
}
