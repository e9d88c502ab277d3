import { crc32 } from 'node:zlib';
import { cutOff, damaged, type Image, partCounter } from './image';

/**
 * What decides how the picture looks. Left out are texts, times, EXIF, XMP and private chunks. The orientation in EXIF is for
 * pictures of cameras, which write JPEG.
 */
const KEPT = new Set([
  ...['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'iCCP', 'sBIT', 'bKGD'],
  ...['hIST', 'pHYs', 'sPLT', 'cICP', 'mDCV', 'cLLI', 'acTL', 'fcTL', 'fdAT'],
]);
const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

export const isPng = (bytes: Buffer): boolean => bytes.subarray(0, 8).equals(SIGNATURE);

/** A chunk is its length, name, data and CRC; the last one is IEND, and what follows it is left out. @throws ImageError */
export function readPng(bytes: Buffer): Image {
  const parts: Buffer[] = [SIGNATURE];
  let hasPixels = false;
  const count = partCounter();
  for (let at = SIGNATURE.length, name = ''; name !== 'IEND';) {
    count();
    const end = at + 12 + bytes.readUInt32BE(at);
    name = bytes.toString('latin1', at + 4, at + 8);
    if (end > bytes.length) throw cutOff();
    if (parts.length === 1 && (name !== 'IHDR' || end !== at + 25))
      throw damaged('it begins with no header');
    if (parts.length > 1 && name === 'IHDR') throw damaged('it has two headers');
    if (name === 'fcTL')
      for (const axis of [0, 4]) {
        const [side, offset] = [
          bytes.readUInt32BE(at + 12 + axis),
          bytes.readUInt32BE(at + 20 + axis),
        ];
        if (offset + side > bytes.readUInt32BE(16 + axis))
          throw damaged('a frame is larger than the picture');
      }
    if (KEPT.has(name)) {
      if (crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4))
        throw damaged(`the checksum of ${name} differs`);
      parts.push(bytes.subarray(at, end));
    } else if (/^[A-Z]/.test(name)) throw damaged('it has a part that is unknown and needed');
    hasPixels ||= name === 'IDAT';
    at = end;
  }
  if (!hasPixels) throw damaged('it has no pixels');
  return {
    type: 'image/png',
    width: bytes.readUInt32BE(16),
    height: bytes.readUInt32BE(20),
    bytes: Buffer.concat(parts),
  };
}
