import { Invalid } from '../../platform/errors/domain-errors';
import { LIMITS } from '../../platform/limits/limits';

const MOST_PARTS = LIMITS.content.pictureParts.value;
const LONGEST_SIDE = LIMITS.content.pictureSides.value;

/** A picture as it is stored: without metadata, and with nothing after its end. */
export interface Image {
  type: ImageType;
  /** In pixels, as browsers show it. */
  width: number;
  height: number;
  bytes: Buffer;
}

/** Media types. SVG is missing on purpose: it is a document that can contain scripts. */
export const IMAGE_TYPES = [
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/gif',
  'image/avif',
] as const;
export type ImageType = (typeof IMAGE_TYPES)[number];

/** @param why as the end of a sentence that begins with "The picture is not valid: it" */
export class ImageError extends Invalid {
  constructor(why: string) {
    super('The picture', [{ path: '', message: why, code: 'picture' }], 'invalid-picture');
  }
}

export const cutOff = () => new ImageError('it is cut off. Save it again, or copy the whole file');

/** Counts the segments, chunks or blocks of a file, which a file of empty ones has a million of. @throws ImageError */
export function partCounter(): () => void {
  let parts = 0;
  return () => {
    if (++parts > MOST_PARTS)
      throw new ImageError(
        `it has more than ${MOST_PARTS.toLocaleString('en')} parts. Open it in an image program and save it again`,
      );
  };
}

const most = LONGEST_SIDE.toLocaleString('en');
const isTooLarge = (width: number, height: number): boolean =>
  Math.max(width, height) > LONGEST_SIDE;

/** For the size of the picture itself. @throws ImageError */
export function checkSides({ width, height }: { width: number; height: number }): void {
  if (!isTooLarge(width, height)) return;
  throw new ImageError(
    `it has ${width.toLocaleString('en')} × ${height.toLocaleString('en')} pixels, and at most ${most} × ${most} are accepted. Make it smaller`,
  );
}

/**
 * For what is decoded beside or instead of the size that the picture says: frames, tiles and the pixels themselves.
 * @throws ImageError
 */
export function checkFrame(width: number, height: number): void {
  if (!isTooLarge(width, height)) return;
  throw new ImageError(
    `one of its frames is larger than ${most} × ${most} pixels. Make it smaller`,
  );
}

export const damaged = (where: string) =>
  new ImageError(`it is damaged (${where}). Open it in an image program and save it again`);
