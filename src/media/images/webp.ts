import { cutOff, damaged, type Image, partCounter } from './image';

/** What decides how the picture looks: EXIF, XMP and unknown chunks are left out. */
const KEPT = new Set(['VP8X', 'ICCP', 'ANIM', 'ANMF', 'ALPH', 'VP8 ', 'VP8L']);
/** Of the byte that says which chunks there are: EXIF and XMP. */
const METADATA_FLAGS = 0x0c;

interface Size {
  width: number;
  height: number;
}

export const isWebp = (bytes: Buffer): boolean =>
  bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP';

/** RIFF: chunks of a name, a length and data, padded to an even length. @throws ImageError */
export function readWebp(bytes: Buffer): Image {
  const end = 8 + bytes.readUInt32LE(4);
  if (end > bytes.length) throw cutOff();
  let canvas: Size | undefined;
  let hasPixels = false;
  /** @param left from the edges of the picture */
  const take = (size: Size, left = 0, top = 0) => {
    canvas ??= size;
    if (left + size.width > canvas.width || top + size.height > canvas.height)
      throw damaged('a frame is larger than the picture');
    hasPixels = true;
  };
  const parts: Buffer[] = [];
  const count = partCounter();
  for (const { name, data, whole } of chunksOf(bytes.subarray(12, end), count)) {
    if (!KEPT.has(name)) continue;
    if (name === 'VP8X') {
      // Browsers use one at the beginning only, so a later one would say a size that nobody sees.
      if (parts.length > 0) throw damaged('its header is not at the beginning');
      const copy = Buffer.from(whole);
      copy.writeUInt8(data.readUInt8(0) & ~METADATA_FLAGS, 8);
      canvas = { width: data.readUIntLE(4, 3) + 1, height: data.readUIntLE(7, 3) + 1 };
      parts.push(copy);
      continue;
    }
    if (name === 'VP8 ' || name === 'VP8L') take(sizeOf(name, data));
    if (name === 'ANMF')
      for (const part of chunksOf(data.subarray(16), count)) {
        if (part.name === 'VP8 ' || part.name === 'VP8L')
          // The header counts pairs of pixels.
          take(sizeOf(part.name, part.data), 2 * data.readUIntLE(0, 3), 2 * data.readUIntLE(3, 3));
        else if (part.name !== 'ALPH') throw damaged('a frame has an unknown part');
      }
    parts.push(whole);
  }
  if (!canvas || !hasPixels) throw damaged('it has no pixels');
  const header = Buffer.from(bytes.subarray(0, 12));
  header.writeUInt32LE(4 + parts.reduce((sum, part) => sum + part.length, 0), 4);
  return { type: 'image/webp', ...canvas, bytes: Buffer.concat([header, ...parts]) };
}

/** @param count called for each, also for those within a frame */
function* chunksOf(
  bytes: Buffer,
  count: () => void,
): Generator<{ name: string; data: Buffer; whole: Buffer }> {
  for (let at = 0; at < bytes.length;) {
    count();
    const end = at + 8 + bytes.readUInt32LE(at + 4);
    if (end > bytes.length) throw cutOff();
    const name = bytes.toString('latin1', at, at + 4);
    const next = end + (end % 2);
    const isPadded = next === end || next <= bytes.length;
    const whole = bytes.subarray(at, next);
    yield {
      name,
      data: bytes.subarray(at + 8, end),
      whole: isPadded ? whole : Buffer.concat([whole, Buffer.alloc(1)]),
    };
    at = next;
  }
}

/** As the compressed picture itself says it. */
function sizeOf(name: 'VP8 ' | 'VP8L', data: Buffer): Size {
  if (name === 'VP8 ') {
    if (data.readUIntBE(3, 3) !== 0x9d012a) throw damaged('it begins with no key frame');
    return { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff };
  }
  if (data.readUInt8(0) !== 0x2f) throw damaged('it begins with no header');
  const bits = data.readUInt32LE(1);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}
