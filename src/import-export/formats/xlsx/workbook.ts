import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { LIMITS } from '../../../platform/limits/limits';
import { MEBIBYTE } from '../../../platform/sizes';
import { type Bytes, FileError } from '../row';
import { LARGEST_ROW } from '../text/text-lines';

/** The parts of an Excel workbook: a ZIP archive of XML files. Unpacked as a stream, and never beyond a limit. */

const PACKED = LIMITS.imports.workbook.value;
const UNPACKED = LIMITS.imports.unpackedWorkbook.value;
const MOST_PARTS = LIMITS.imports.workbookParts.value;
/** Elements and attributes: a list of 100,000 questions has fewer; a sheet's elements are five deep. */
const MOST_TAGS = LIMITS.imports.sheetElements.value;
const MOST_SMALL_TAGS = LIMITS.imports.workbookElements.value;
const MOST_DEPTH = LIMITS.imports.workbookDepth.value;

const DAMAGED =
  'The file is not an Excel workbook, or it is damaged or encrypted: save it again as .xlsx, or as CSV (UTF-8).';

export class Workbook {
  private constructor(
    private readonly zip: ZipFile,
    private readonly parts: ReadonlyMap<string, Entry>,
    private left: number,
  ) {}

  /** @param most bytes of all that is read of it, unpacked @throws FileError */
  static async open(bytes: Bytes, most = Infinity): Promise<Workbook> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of bytes) {
      if ((size += chunk.length) > PACKED)
        throw new FileError(
          1,
          `The workbook is larger than ${PACKED / MEBIBYTE} MiB: save its sheet as CSV (UTF-8).`,
        );
      chunks.push(chunk);
    }
    return guarded(async () => {
      const zip = await fromBufferPromise(Buffer.concat(chunks), { lazyEntries: true });
      if (zip.entryCount > MOST_PARTS) throw new FileError(1, DAMAGED);
      const parts = new Map<string, Entry>();
      for await (const entry of zip.eachEntry()) parts.set(entry.fileName, entry);
      if (!parts.has('xl/workbook.xml')) throw new FileError(1, DAMAGED);
      return new Workbook(zip, parts, most);
    });
  }

  /** How many pictures it has, on its sheets and in its cells. */
  get pictures(): number {
    return [...this.parts.keys()].filter((name) => name.startsWith('xl/media/')).length;
  }

  /** The elements of a part, some at a time; nothing of one that is missing. @throws FileError */
  async *read(name: string, take: Take, most = MOST_TAGS): AsyncGenerator<void> {
    const entry = this.parts.get(name);
    if (!entry) return;
    let left = UNPACKED;
    let tags = 0;
    let depth = 0;
    // The parser keeps every open element, and the reader what elements say: a few bytes of file become many of memory.
    const countTag = () => {
      if (++tags > most || depth > MOST_DEPTH) throw new FileError(1, DAMAGED);
    };
    const parser = new SaxesParser({ position: false });
    const decoder = new TextDecoder();
    let text = '';
    parser.on('attribute', countTag);
    parser.on('opentag', (tag) => {
      depth++;
      countTag();
      text = '';
      take.open?.(local(tag.name), tag.attributes as SaxesTagPlain['attributes']);
    });
    parser.on('text', (more) => {
      if ((text += more).length > LARGEST_ROW)
        throw new FileError(
          1,
          `A cell of the workbook is larger than ${LARGEST_ROW / MEBIBYTE} MiB: split it.`,
        );
    });
    parser.on('closetag', ({ name: tag }) => {
      depth--;
      take.close?.(local(tag), text);
      text = '';
    });
    parser.on('doctype', () => {
      throw new FileError(1, DAMAGED);
    });
    parser.on('error', () => {
      throw new FileError(1, DAMAGED);
    });
    const stream = await guarded(() => this.zip.openReadStreamPromise(entry));
    const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    try {
      for (;;) {
        const next = await guarded(() => chunks.next());
        if (next.done) break;
        const value = next.value;
        this.left -= value.length;
        if ((left -= value.length) < 0 || this.left < 0)
          throw new FileError(
            1,
            `The workbook is larger than ${UNPACKED / MEBIBYTE} MiB when it is unpacked: save its sheet as CSV (UTF-8).`,
          );
        parser.write(decoder.decode(value, { stream: true }));
        yield;
      }
      parser.close();
    } finally {
      stream.destroy();
    }
  }

  /** The same for a small part. */
  async readAll(name: string, take: Take): Promise<void> {
    const pieces = this.read(
      name,
      take,
      name.endsWith('sharedStrings.xml') ? MOST_TAGS : MOST_SMALL_TAGS,
    );
    while (!(await pieces.next()).done);
  }
}

export interface Take {
  open?(name: string, attributes: Record<string, string>): void;
  /** @param text directly before the end of the element */
  close?(name: string, text: string): void;
}

/** Without the prefix of its namespace. */
const local = (name: string): string => name.slice(name.indexOf(':') + 1);

/** Any error of the archive is one of the file. */
async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof FileError ? error : new FileError(1, DAMAGED);
  }
}
