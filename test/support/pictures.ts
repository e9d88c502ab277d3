import { crc32, deflateSync } from 'node:zlib';

/** A chunk of a PNG file. */
export function pngChunk(name: string, data: Buffer | string = ''): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), Buffer.from(data as string, 'latin1')]);
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(body.length - 4);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return chunk;
}

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/**
 * A picture of one shade of grey.
 * @param shade 0 to 255: another one is another picture
 * @param more chunks before the pixels
 */
export function png(
  { width = 4, height = 3, shade = 0 } = {},
  more: readonly Buffer[] = [],
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  const rows = Buffer.alloc((Math.min(width, 64) + 1) * Math.min(height, 64), shade);
  for (let row = 0; row < rows.length; row += Math.min(width, 64) + 1) rows[row] = 0;
  const pixels = pngChunk('IDAT', deflateSync(rows));
  return Buffer.concat([SIGNATURE, pngChunk('IHDR', header), ...more, pixels, pngChunk('IEND')]);
}

/** 3 × 2 pixels, as Chromium writes them, without a colour profile. */
export const JPEG = Buffer.from(
  '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19iZ2hnPk1xeXBkeFxlZ2P/2wBDARESEhgVGC8aGi9jQjhCY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2P/wAARCAACAAMDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAT/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFAEBAAAAAAAAAAAAAAAAAAAABv/EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAMAwEAAhEDEQA/AJQCcaf/2Q==',
  'base64',
);

/** 1 × 1 pixel. */
export const WEBP = Buffer.from(
  'UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA',
  'base64',
);

/** 1 × 1 pixel. */
export const GIF = Buffer.from(
  'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7',
  'base64',
);

/** 2 × 2 pixels, as libavif writes them. */
export const AVIF = Buffer.from(
  'AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUIAAADybWV0YQAAAAAAAAAoaGRscgAAAAAAAAAAcGljdAAAAAAAAAAAAAAAAGxpYmF2aWYAAAAADnBpdG0AAAAAAAEAAAAeaWxvYwAAAABEAAABAAEAAAABAAABGgAAAB0AAAAoaWluZgAAAAAAAQAAABppbmZlAgAAAAABAABhdjAxQ29sb3IAAAAAamlwcnAAAABLaXBjbwAAABRpc3BlAAAAAAAAAAIAAAACAAAAEHBpeGkAAAAAAwgICAAAAAxhdjFDgQ0MAAAAABNjb2xybmNseAACAAIAAYAAAAAXaXBtYQAAAAAAAAABAAEEAQKDBAAAACVtZGF0EgAKCBgANogQEAwgMg8f8D///8WfhwB8+ErK42A=',
  'base64',
);

/** One of each type, with its size. */
export const PICTURES: [type: string, bytes: Buffer, width: number, height: number][] = [
  ['image/png', png(), 4, 3],
  ['image/jpeg', JPEG, 3, 2],
  ['image/webp', WEBP, 1, 1],
  ['image/gif', GIF, 1, 1],
  ['image/avif', AVIF, 2, 2],
];

/** What phones write beside a photo: how to turn it, and where it was taken. */
export function exif(orientation: number): Buffer {
  const tiff = Buffer.alloc(38 + 60);
  tiff.write('MM\0*\0\0\0\x08\0\x02', 'latin1');
  // Orientation, and the place of the GPS directory.
  tiff.write('\x01\x12\0\x03\0\0\0\x01', 10, 'latin1');
  tiff.writeUInt16BE(orientation, 18);
  tiff.write('\x88\x25\0\x04\0\0\0\x01\0\0\0\x26', 22, 'latin1');
  tiff.write(PLACE, 40, 'latin1');
  return tiff;
}

/** Stands in the metadata of the pictures of tests. */
export const PLACE = 'GPS 48.2082N 16.3738E';

export const xmp = `<x:xmpmeta><exif:GPSLatitude>${PLACE}</exif:GPSLatitude></x:xmpmeta>`;

/** A segment of a JPEG file. */
export function jpegSegment(marker: number, data: Buffer | string): Buffer {
  const content = Buffer.from(data as string, 'latin1');
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
}

/** A chunk of a WebP file. */
export function webpChunk(name: string, data: Buffer | string): Buffer {
  const content = Buffer.from(data as string, 'latin1');
  const head = Buffer.from(`${name}\0\0\0\0`, 'latin1');
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
}

export function webp(...chunks: Buffer[]): Buffer {
  const head = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1');
  const body = Buffer.concat(chunks);
  head.writeUInt32LE(body.length + 4, 4);
  return Buffer.concat([head, body]);
}
