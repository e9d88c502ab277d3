import { cutOff, damaged, type Image, partCounter } from './image';

const [SOI, EOI, SOS, DNL, DHT, DAC, APP0, APP1, APP2, APP14, COM] = [
  ...[0xd8, 0xd9, 0xda, 0xdc, 0xc4, 0xcc],
  ...[0xe0, 0xe1, 0xe2, 0xee, 0xfe],
] as const;

/** DQT and DRI. */
const OTHER_TABLES = new Set([0xdb, 0xdd]);
/** Left out. DNL is a second height, which browsers ignore beside that of the frame. */
const NEEDLESS = new Set<number>([COM, DNL]);
const NO_FRAMES = new Set<number>([DHT, 0xc8, DAC]);

export const isJpeg = (bytes: Buffer): boolean =>
  bytes[0] === 0xff && bytes[1] === SOI && bytes[2] === 0xff;

/** Segments up to the end of the picture; what follows it is left out. @throws ImageError */
export function readJpeg(bytes: Buffer): Image {
  const parts: Buffer[] = [bytes.subarray(0, 2)];
  let size: { width: number; height: number } | undefined;
  let orientation = 1;
  let hasPixels = false;
  let at = 2;
  const count = partCounter();
  for (;;) {
    count();
    if (at >= bytes.length) throw cutOff();
    if (bytes[at] !== 0xff) throw damaged('a segment does not begin with a marker');
    // Any number of 0xff may stand before a marker.
    while (bytes[at + 1] === 0xff) at += 1;
    const marker = bytes.readUInt8(at + 1);
    if (marker === EOI) break;
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    if (end > bytes.length) throw cutOff();
    const segment = bytes.subarray(at, end);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && !NO_FRAMES.has(marker);
    if (isFrame) {
      if (size) throw damaged('it has two frames');
      size = { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    }
    if (marker === APP1 && orientation === 1 && begins(segment, 'Exif\0\0')) {
      orientation = orientationIn(segment.subarray(10));
      if (orientation !== 1) parts.push(exifWith(orientation));
    }
    const isTable = marker === DHT || marker === DAC || OTHER_TABLES.has(marker);
    const isNeeded = isFrame || isTable || marker === SOS;
    if (isNeeded || isShown(marker, segment)) parts.push(segment);
    else if (!(marker >= APP0 && marker <= 0xef) && !NEEDLESS.has(marker))
      throw damaged('it has an unknown segment');
    at = end;
    if (marker === SOS) {
      hasPixels = true;
      at = endOfScan(bytes, end);
      parts.push(bytes.subarray(end, at));
    }
  }
  parts.push(bytes.subarray(at, at + 2));
  if (!size || !hasPixels) throw damaged('it has no pixels');
  const { width, height } = size;
  const isTurned = orientation >= 5;
  return {
    type: 'image/jpeg',
    width: isTurned ? height : width,
    height: isTurned ? width : height,
    bytes: Buffer.concat(parts),
  };
}

const begins = (segment: Buffer, text: string): boolean =>
  segment.toString('latin1', 4, 4 + text.length) === text;

/** Of the application's segments, those that decide about colours. EXIF, XMP, IPTC and comments are no such ones. */
function isShown(marker: number, segment: Buffer): boolean {
  if (marker === APP0) return begins(segment, 'JFIF\0');
  if (marker === APP2) return begins(segment, 'ICC_PROFILE\0');
  return marker === APP14 && begins(segment, 'Adobe');
}

/** Where the next marker is: within a scan 0xff stands before 0 and before the markers RST0 to RST7. */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1];
    if (next === undefined) break;
    if (next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
  throw cutOff();
}

const ORIENTATION = 0x0112;

/** 1 to 8, as EXIF numbers them: phones store every photo as the sensor has it. 1 if the file does not say. */
function orientationIn(tiff: Buffer): number {
  const isLittle = tiff.toString('latin1', 0, 2) === 'II';
  const read16 = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  try {
    const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
    for (let entry = 0; entry < read16(directory); entry += 1) {
      const at = directory + 2 + 12 * entry;
      const value = read16(at + 8);
      if (read16(at) === ORIENTATION) return value >= 1 && value <= 8 ? value : 1;
    }
  } catch (error) {
    // Metadata that cannot be read says nothing.
    if (!(error instanceof RangeError)) throw error;
  }
  return 1;
}

/** An EXIF segment that says nothing else: without it photos of phones would lie on their side. */
function exifWith(orientation: number): Buffer {
  const segment = Buffer.from(
    '\xff\xe1\0\x22Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\0\0\0\0\0\0\0',
    'latin1',
  );
  segment.writeUInt16BE(orientation, 28);
  return segment;
}
