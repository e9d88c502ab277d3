/** Whether these are the first bytes of a ZIP archive. */
export const isZip = (head: Buffer): boolean =>
  head.subarray(0, 4).equals(Buffer.from('PK\x03\x04', 'latin1'));
