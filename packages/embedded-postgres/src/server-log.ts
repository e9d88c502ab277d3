import { type FileHandle, open, readFile, stat } from 'node:fs/promises';
import { USE_A_SERVER } from './programs';

/** The server's log, and where in it the present start begins. */
export interface OpenLog {
  readonly path: string;
  readonly handle: FileHandle;
  /** In bytes. */
  readonly from: number;
}

/** The log starts anew at a start that finds it larger than this. */
const MAX_BYTES = 10_000_000;
/** Lines of the log an error carries. */
const LINES = 15;

/** What the log says, and what then helps. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [
    /incompatible with server/,
    'the data was written by another major version of PostgreSQL: start the version of the service that wrote it and move ' +
      'the data as docs/operations.md says ("Embedded data of an older PostgreSQL"), or move the data directory away to begin anew',
  ],
  [
    /could not create shared memory segment/,
    'raise the limit of shared memory that the log names (SHMMNI, SHMALL), or end PostgreSQL servers that nobody needs',
  ],
  [
    /No space left on device|Check free disk space/,
    'free some space on the disk (in a container, in /dev/shm too: --shm-size)',
  ],
  [
    /pre-existing shared memory block/,
    'end the postgres processes that still use the data directory (`ps -ef | grep postgres` lists them): they are left ' +
      'over from a server that was killed',
  ],
  [
    /Permission denied/i,
    'let the user that runs the service enter every directory on the way to DATA_DIR and ' +
      'node_modules, or choose another DATA_DIR',
  ],
  [
    /invalid value for parameter|unrecognized configuration parameter/,
    'correct the setting that was passed to the server',
  ],
];

/** Opens the log for a child process to write to; the caller closes it. */
export async function openLog(path: string): Promise<OpenLog> {
  const size = (await stat(path).catch(() => undefined))?.size ?? 0;
  const handle = await open(path, size > MAX_BYTES ? 'w' : 'a', 0o600);
  return { path, handle, from: (await handle.stat()).size };
}

/** What was written since the log was opened. */
export async function readNewLog({ path, from }: OpenLog): Promise<string> {
  const bytes = await readFile(path).catch(() => Buffer.alloc(0));
  return bytes.subarray(from).toString('utf8');
}

/** An error that says what happened, what the log said last and what to do. */
export async function failure(reason: string, log: OpenLog): Promise<Error> {
  const text = await readNewLog(log);
  const advice = ADVICE.find(([pattern]) => pattern.test(text))?.[1] ?? `read ${log.path}`;
  const lines = text.trimEnd().split('\n').slice(-LINES);
  return new Error(
    `The embedded PostgreSQL cannot be used: ${reason}.\n` +
      `Last lines of ${log.path}:\n${lines.map((line) => `  ${line}`).join('\n')}\n` +
      `What to do: ${advice}; or ${USE_A_SERVER}.`,
  );
}
