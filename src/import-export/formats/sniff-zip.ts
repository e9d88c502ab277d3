/** The names of the entries that begin in these bytes, without those of archives that are stored in them. */
export function zipNames(head: Buffer): string[] {
  const names: string[] = [];
  for (let at = head.indexOf(ENTRY); at >= 0 && at + 30 <= head.length;) {
    const nameEnd = at + 30 + head.readUInt16LE(at + 26);
    names.push(head.toString('latin1', at + 30, nameEnd));
    const size = head.readUInt32LE(at + 18);
    // The size is behind the data of an entry that was written as a stream, and elsewhere in the header of Zip64.
    const isKnown = (head.readUInt16LE(at + 6) & 8) === 0 && size !== 0xffffffff;
    at = head.indexOf(ENTRY, nameEnd + head.readUInt16LE(at + 28) + (isKnown ? size : 0));
  }
  return names;
}

const ENTRY = Buffer.from('PK\x03\x04', 'latin1');

/** Whether these are the first bytes of a ZIP archive. */
export const isZip = (head: Buffer): boolean => head.subarray(0, 4).equals(ENTRY);
