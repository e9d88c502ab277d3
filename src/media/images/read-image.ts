import { UnsupportedMediaType } from '../../platform/errors/domain-errors';
import { isAvif, isHeic, readAvif } from './avif';
import { isGif, readGif } from './gif';
import { checkSides, cutOff, type Image, ImageError } from './image';
import { isJpeg, readJpeg } from './jpeg';
import { isPng, readPng } from './png';
import { isWebp, readWebp } from './webp';

const READERS = [
  { is: isPng, read: readPng },
  { is: isJpeg, read: readJpeg },
  { is: isWebp, read: readWebp },
  { is: isGif, read: readGif },
  { is: isAvif, read: readAvif },
];

/**
 * A picture by its content; its name and the Content-Type that was sent mean nothing. To remove the metadata of all five
 * types, sharp would decode and encode each picture again (docs/adr/0027-parts-of-our-own.md), so this walks their
 * containers and copies what is shown. The compressed pixels stay as they are, byte for byte.
 * @throws UnsupportedMediaType; ImageError for one that is damaged or too large
 */
export function readImage(bytes: Buffer): Image {
  const reader = READERS.find(({ is }) => is(bytes));
  if (!reader) throw new UnsupportedMediaType(whyUnknown(bytes));
  const image = complete(() => reader.read(bytes));
  if (image.width === 0 || image.height === 0) throw new ImageError('it has no width or no height');
  checkSides(image);
  return image;
}

/** Reading beyond the last byte is how a reader notices that the file is cut off. */
function complete<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) throw cutOff();
    throw error;
  }
}

function whyUnknown(bytes: Buffer): string {
  const start = bytes.toString('latin1', 0, 1_024);
  if (isHeic(bytes))
    return 'HEIC pictures are not supported, since most browsers cannot show them. Save it as JPEG: the camera settings of an iPhone call this “Most Compatible”.';
  if (/<svg[\s>]/i.test(start))
    return 'SVG pictures are not supported, since they can contain scripts. Save it as PNG or WebP.';
  return 'The file is not a PNG, JPEG, WebP, GIF or AVIF picture. Save the picture as one of these.';
}
