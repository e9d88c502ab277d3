import type { FormatName } from '../formats';
import type { ImportRow } from '../row';

/** Rows of a file, and its format: undefined where it could not be recognised. */
export interface RowBatch {
  format: FormatName | undefined;
  rows: ImportRow[];
}

/** What is known of a file beside its bytes. `format` is recognised where it is not given. */
export interface FileToRead {
  format?: FormatName | undefined;
  name?: string | undefined;
}

/** What the thread asks for. It waits for the reply, so neither side gets ahead of the other. */
export type ThreadMessage =
  | { kind: 'rows'; batch: RowBatch }
  /** Some formats are read twice: `isFirst` begins again. */
  | { kind: 'chunk'; isFirst: boolean }
  | { kind: 'end' };

/** The next piece of the file; null at its end, and where rows were taken. */
export type ThreadReply = Uint8Array | null;
