import { LIMITS } from '../../platform/limits/limits';

/** The names of the entries that begin in these bytes, without those of archives that are stored in them. */
export function zipNames(head: Buffer): string[] {
  const names: string[] = [];
  for (let at = head.indexOf(ENTRY); at >= 0 && at + 30 <= head.length;) {
    const nameEnd = at + 30 + head.readUInt16LE(at + 26);
    names.push(head.toString('latin1', at + 30, nameEnd));
    const size = head.readUInt32LE(at + 18);
    const isStreamed = (head.readUInt16LE(at + 6) & 8) !== 0;
    const begin = nameEnd + head.readUInt16LE(at + 28);
    // Zip64 has the size elsewhere in the header.
    const isKnown = !isStreamed && size !== 0xffffffff;
    at = head.indexOf(ENTRY, isStreamed ? endOfStream(head, begin) : begin + (isKnown ? size : 0));
  }
  return names;
}

/** Where the data of an entry ends whose size is behind it, written as a stream; where it begins if no size is there. */
function endOfStream(head: Buffer, begin: number): number {
  let at = head.indexOf(SIZES, begin);
  // Of those within the data, too, there may be many.
  for (let left = archiveMarks.value; left > 0 && at >= 0 && at + 16 <= head.length; left--) {
    if (head.readUInt32LE(at + 8) === at - begin) return at;
    at = head.indexOf(SIZES, at + 4);
  }
  return begin;
}

const { archiveMarks } = LIMITS.imports;
const ENTRY = Buffer.from('PK\x03\x04', 'latin1');
const SIZES = Buffer.from('PK\x07\x08', 'latin1');

/** Whether these are the first bytes of a ZIP archive. */
export const isZip = (head: Buffer): boolean => head.subarray(0, 4).equals(ENTRY);
