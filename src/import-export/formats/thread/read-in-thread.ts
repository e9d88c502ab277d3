import { extname, join } from 'node:path';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { LIMITS } from '../../../platform/limits/limits';
import type { Bytes } from '../row';
import { MEBIBYTE } from '../text/text-lines';
import type { FileToRead, RowBatch, ThreadMessage, ThreadReply } from './reader-thread';

/** A hostile file can make a reader work for too long: then its thread is terminated. */
export interface ReadingLimits {
  /** CPU time, for a file and for each MiB of it. Time spent waiting does not count. */
  ms: number;
  msPerMebibyte: number;
  /** Of the thread's heap. */
  mebibytes: number;
}

const { readingTime, readingTimePerMebibyte, readingMemory } = LIMITS.imports;
const READING: ReadingLimits = {
  ms: readingTime.value,
  msPerMebibyte: readingTimePerMebibyte.value,
  mebibytes: readingMemory.value / MEBIBYTE,
};
/** How often the CPU time is checked, in milliseconds. */
const LOOK_EVERY = 100;

const EXTENSION = extname(__filename);
/** Tests run the sources, so their threads need the compiler too. */
const EXEC_ARGV =
  EXTENSION === '.ts'
    ? { execArgv: ['--require', join(process.cwd(), 'test/faults/typescript.cjs')] }
    : {};

/**
 * A file's rows like `readRows`, but read in a separate thread: the caller's event loop continues meanwhile, and a
 * file that takes too much time or memory ends with a fatal error. The first batch has the format.
 */
export async function* readInThread(
  bytes: Bytes,
  about: FileToRead,
  limits: ReadingLimits = READING,
): AsyncGenerator<RowBatch> {
  const thread = new Worker(join(__dirname, `reader-thread${EXTENSION}`), {
    workerData: about,
    resourceLimits: { maxOldGenerationSizeMb: limits.mebibytes, maxYoungGenerationSizeMb: 32 },
    ...EXEC_ARGV,
  });
  let found = about.format;
  let line = 1;
  let allowed = limits.ms;
  const tooSlow = new AbortController();
  const worked = () => thread.performance.eventLoopUtilization().active;
  /** The CPU time for loading the thread's code, before it requested the file. */
  let loaded = Infinity;
  const watch = setInterval(() => {
    if (worked() - loaded > allowed) tooSlow.abort();
  }, LOOK_EVERY);
  let file: AsyncIterator<Uint8Array> | undefined;
  try {
    for (;;) {
      const [message] = (await once(thread, 'message', { signal: tooSlow.signal })) as [
        ThreadMessage,
      ];
      loaded = Math.min(loaded, worked());
      let reply: ThreadReply = null;
      if (message.kind === 'end') return;
      if (message.kind === 'rows') {
        found = message.batch.format;
        line = message.batch.rows.at(-1)?.line ?? line;
        yield message.batch;
      } else {
        if (message.isFirst) {
          await file?.return?.();
          file = chunksOf(bytes);
        }
        const next = await file?.next();
        reply = next?.done ? null : (next?.value ?? null);
        allowed += ((reply?.length ?? 0) / MEBIBYTE) * limits.msPerMebibyte;
      }
      thread.postMessage(reply);
    }
  } catch (error) {
    const problem = tooSlow.signal.aborted ? TOO_SLOW : isOutOfMemory(error) ? TOO_LARGE : null;
    if (problem === null) throw error;
    yield { format: found, rows: [{ line, error: problem, fatal: true }] };
  } finally {
    clearInterval(watch);
    await file?.return?.();
    await thread.terminate();
  }
}

const WHAT_TO_DO =
  'so it was stopped. Check that the format is the right one, or split the file into smaller ones.';
const TOO_SLOW = `Reading the file takes too much computing time for its size, ${WHAT_TO_DO}`;
const TOO_LARGE = `Reading the file takes too much memory, ${WHAT_TO_DO}`;

const isOutOfMemory = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';

async function* chunksOf(bytes: Bytes): AsyncGenerator<Uint8Array> {
  yield* bytes;
}
