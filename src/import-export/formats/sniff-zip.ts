/** The names of the entries that begin in these bytes. Packed bytes may look like a name, but hardly like an entry. */
export function zipNames(head: Buffer): string[] {
  const names: string[] = [];
  for (let at = head.indexOf(ENTRY); at >= 0; at = head.indexOf(ENTRY, at + 30)) {
    if (at + 30 > head.length) break;
    names.push(head.toString('latin1', at + 30, at + 30 + head.readUInt16LE(at + 26)));
  }
  return names;
}

const ENTRY = Buffer.from('PK\x03\x04', 'latin1');

/** Whether these are the first bytes of a ZIP archive. */
export const isZip = (head: Buffer): boolean => head.subarray(0, 4).equals(ENTRY);
