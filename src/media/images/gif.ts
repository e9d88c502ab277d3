import { checkFrame, cutOff, damaged, type Image, partCounter } from './image';

const [EXTENSION, FRAME, TRAILER] = [0x21, 0x2c, 0x3b] as const;
const [CONTROL, APPLICATION] = [0xf9, 0xff] as const;
/** How often an animation runs: an application's name, and one block of three bytes. */
const LOOP = /^\x0b(?:NETSCAPE2\.0|ANIMEXTS1\.0)\x03\x01[^]{2}\0$/;

export const isGif = (bytes: Buffer): boolean => /^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6));

/** Blocks up to the trailer. Comments, texts and the data of applications (XMP) are left out. @throws ImageError */
export function readGif(bytes: Buffer): Image {
  const start = 13 + colourTable(bytes.readUInt8(10));
  const parts: Buffer[] = [bytes.subarray(0, start)];
  let size = { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  let frames = 0;
  const count = partCounter();
  for (let at = start; ;) {
    count();
    const kind = bytes[at];
    // Some programs forget the trailer.
    if (kind === TRAILER || (at === bytes.length && frames > 0)) break;
    if (kind === EXTENSION) {
      const end = endOfBlocks(bytes, at + 2);
      const data = bytes.toString('latin1', at + 2, end);
      const label = bytes[at + 1];
      const isControl = label === CONTROL && end - at === 8;
      if (isControl || (label === APPLICATION && LOOP.test(data)))
        parts.push(bytes.subarray(at, end));
      at = end;
    } else if (kind === FRAME) {
      const [left, top] = [bytes.readUInt16LE(at + 1), bytes.readUInt16LE(at + 3)];
      const [width, height] = [bytes.readUInt16LE(at + 5), bytes.readUInt16LE(at + 7)];
      checkFrame(left + width, top + height);
      // Browsers enlarge the picture to its first frame, and cut off what is beside it of later ones.
      if (frames === 0)
        size = {
          width: Math.max(size.width, left + width),
          height: Math.max(size.height, top + height),
        };
      const end = endOfBlocks(bytes, at + 11 + colourTable(bytes.readUInt8(at + 9)));
      parts.push(bytes.subarray(at, end));
      frames += 1;
      at = end;
    } else throw kind === undefined ? cutOff() : damaged('it has an unknown block');
  }
  if (frames === 0) throw damaged('it has no pixels');
  parts.push(Buffer.of(TRAILER));
  return { type: 'image/gif', ...size, bytes: Buffer.concat(parts) };
}

/** In bytes, from the flags beside it. */
const colourTable = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** Blocks of up to 255 bytes each, and an empty one as their end. */
function endOfBlocks(bytes: Buffer, from: number): number {
  let at = from;
  for (let length = -1; length !== 0; at += 1 + length) length = bytes.readUInt8(at);
  return at;
}
