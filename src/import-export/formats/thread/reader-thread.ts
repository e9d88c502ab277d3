import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import type { FormatName } from '../formats';
import { readRows } from '../read-rows';
import type { Bytes, ImportRow, ReadOptions, TableColumn } from '../row';

/** The thread that reads one file (read-in-thread.ts starts it). */

/** Rows of a file, and its format: undefined if it could not be recognised. */
export interface RowBatch {
  format: FormatName | undefined;
  /** Of a table, once. */
  columns?: TableColumn[] | undefined;
  rows: ImportRow[];
}

/** What is known about a file besides its bytes. `format` is recognised if it is not given. */
export interface FileToRead {
  format?: FormatName | undefined;
  name?: string | undefined;
  options?: ReadOptions;
}

/** Requests of the thread. It waits for the reply, so neither side gets ahead of the other. */
export type ThreadMessage =
  | { kind: 'rows'; batch: RowBatch }
  /** Some formats are read twice: `isFirst` starts again. */
  | { kind: 'chunk'; isFirst: boolean }
  | { kind: 'end' };

/** The next piece of the file; null at its end, and after rows were received. */
export type ThreadReply = Uint8Array | null;

/** Rows per message: few enough that the other side can do other work in between. */
const BATCH = 100;

async function ask(message: ThreadMessage): Promise<ThreadReply> {
  if (!parentPort) throw new Error('reader-thread runs in a worker thread only');
  parentPort.postMessage(message);
  const [reply] = (await once(parentPort, 'message')) as [ThreadReply];
  return reply;
}

async function read({ format, name, options }: FileToRead): Promise<void> {
  const gathered: ImportRow[] = [];
  let found: FormatName | undefined = format;
  let columns: TableColumn[] | undefined;
  const flush = async () => {
    const rows = gathered.splice(0);
    await ask({ kind: 'rows', batch: { format: found, columns, rows } });
    columns = undefined;
  };
  const bytes: Bytes = {
    async *[Symbol.asyncIterator]() {
      for (let isFirst = true; ; isFirst = false) {
        if (gathered.length > 0) await flush();
        const chunk = await ask({ kind: 'chunk', isFirst });
        if (!chunk) return;
        yield chunk;
      }
    },
  };
  const { format: recognised, rows } = await readRows(bytes, format, name, {
    ...options,
    onColumns: (all) => (columns = all),
  });
  found = recognised;
  await flush();
  for await (const row of rows) if (gathered.push(row) >= BATCH) await flush();
  await flush();
  await ask({ kind: 'end' });
}

void read(workerData as FileToRead);
