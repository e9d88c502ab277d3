import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { inspectProcess } from './processes';

/** What the lock file says about the process that holds it. */
export interface Holder {
  readonly pid: number;
  /** Start time of the process: a reused number has another one. */
  readonly startedAt?: string;
  /** Tells two calls of one process apart. */
  readonly token: string;
  /** The port of its server while other processes may use it. */
  readonly port?: number;
}

/** The holder creates the file and writes it a moment later; a file empty for longer is a wreck. */
const WRITING_MS = 2_000;

/**
 * The file by which one process owns the directory, until it releases it or ends.
 *
 * Node has no flock(). Two processes that take over the same wreck in the same microsecond could both believe to own
 * the directory; that may cost a start, but no data: initdb's result is renamed into place once, and PostgreSQL
 * guards its own data directory.
 */
export class DirectoryLock {
  private constructor(
    private readonly path: string,
    private holder: Holder,
  ) {}

  /** The lock, or its holder; `'writing'` if that process is about to write who it is. The lock of a killed process is taken over. */
  static async take(path: string): Promise<DirectoryLock | Holder | 'writing'> {
    const { startedAt } = await inspectProcess(process.pid);
    const lock = new DirectoryLock(path, { pid: process.pid, startedAt, token: randomUUID() });
    for (;;) {
      try {
        await writeFile(path, JSON.stringify(lock.holder), { flag: 'wx', mode: 0o600 });
        return lock;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const text = await readText(path);
      if (text === undefined) continue;
      const holder = parse(text);
      if (holder ? await isAlive(holder) : await isRecent(path)) return holder ?? 'writing';
      await removeWreck(path, text);
    }
  }

  /** Lets other processes use the server; without a port, no longer. */
  async announce(port?: number): Promise<void> {
    if (!(await this.isOurs())) return;
    this.holder = { ...this.holder, port };
    await writeFile(this.path, JSON.stringify(this.holder));
  }

  async release(): Promise<void> {
    if (await this.isOurs()) await rm(this.path, { force: true });
  }

  /** False if the whole directory was deleted. */
  private async isOurs(): Promise<boolean> {
    return parse((await readText(this.path)) ?? '')?.token === this.holder.token;
  }
}

async function removeWreck(path: string, text: string): Promise<void> {
  // Its holder may have released it just before it ended, and another process has it by now.
  if ((await readText(path)) !== text) return;
  // Renaming is atomic: of several processes one moves the wreck away, the others find nothing.
  const wreck = `${path}.${randomUUID()}`;
  try {
    await rename(path, wreck);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  // Another process was faster and this is already the next holder's lock: put it back.
  if ((await readText(wreck)) !== text) await link(wreck, path).catch(() => undefined);
  await rm(wreck, { force: true });
}

function parse(text: string): Holder | undefined {
  try {
    return JSON.parse(text) as Holder;
  } catch {
    return undefined;
  }
}

async function isAlive(holder: Holder): Promise<boolean> {
  const { running, startedAt } = await inspectProcess(holder.pid);
  return running && startedAt === holder.startedAt;
}

async function isRecent(path: string): Promise<boolean> {
  const facts = await stat(path).catch(() => undefined);
  return facts !== undefined && Date.now() - facts.mtimeMs <= WRITING_MS;
}

function readText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}
