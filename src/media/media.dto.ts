import { TooLarge } from '../platform/errors/domain-errors';
import { LIMITS } from '../platform/limits/limits';
import type { Failure } from '../platform/openapi/failures';
import { Choice, Example, SchemaName, Whole } from '../platform/openapi/fields';
import { MEBIBYTE } from '../platform/sizes';
import { IMAGE_TYPES, type ImageType } from './images/image';

const { pictureBytes, pictureSides } = LIMITS.content;

const EXAMPLE_PICTURE = '3f2b8c1d-9a47-4e0b-8d5c-6b1f0e9a7c24';

/** Where everybody can see a picture. */
export const pictureUrl = (id: string): string => `/media/${id}`;

/** A picture of yours: `![alternative text](media:<id>)` in the Markdown of a question shows it. */
@SchemaName('Picture')
export class PictureData {
  /** For `media:<id>` in Markdown. */
  @Example(EXAMPLE_PICTURE) id!: string;
  /** Its path at this service. It never changes, and neither does what is there. */
  @Example(pictureUrl(EXAMPLE_PICTURE)) url!: string;
  /** As the content says it; the `Content-Type` that was sent does not matter. */
  @Choice(IMAGE_TYPES) type!: ImageType;
  /** In pixels, as browsers show it. @example 1200 */
  @Whole() width!: number;
  /** In pixels, as browsers show it. @example 800 */
  @Whole() height!: number;
  /** Of the stored picture, without metadata such as the location of a photo. @example 48213 */
  @Whole() bytes!: number;
}

/** What is said of a body that is too large or no file. */
export const PICTURE_FILE = {
  most: pictureBytes.value,
  tooLarge: () =>
    new TooLarge(
      `The picture is larger than ${pictureBytes.value / MEBIBYTE} MiB. Make it smaller, or save it as WebP or JPEG.`,
      'file-too-large',
    ),
  example: 'curl --data-binary @map.png',
};

export const NO_PICTURE: Failure[] = [
  {
    status: 400,
    name: 'file-not-received',
    title: 'The body is not a file',
    error: `Send the file itself as the body, not a form: ${PICTURE_FILE.example}.`,
    fix: 'Send the raw file as the request body, uncompressed and complete. Multipart forms are not accepted.',
  },
  {
    status: 413,
    name: 'file-too-large',
    title: 'The picture is too large',
    error: PICTURE_FILE.tooLarge().message,
    fix: 'A picture of 1,600 pixels in WebP or JPEG is mostly smaller than 300 KiB.',
  },
  {
    status: 415,
    name: 'unsupported-media-type',
    title: 'The file is not a picture of a supported type',
    error:
      'The file is not a PNG, JPEG, WebP, GIF or AVIF picture. Save the picture as one of these.',
    fix: 'The content of the file decides, not its name and not `Content-Type`.',
  },
  {
    status: 422,
    name: 'invalid-picture',
    title: 'The picture is damaged, or has too many pixels',
    error: 'The picture is not valid: it is cut off. Save it again, or copy the whole file.',
    fix: `Save the picture again. Its width and height are at most ${pictureSides.value.toLocaleString('en')} pixels.`,
    details: [
      {
        path: '',
        message: 'it is cut off. Save it again, or copy the whole file',
        code: 'picture',
      },
    ],
  },
  {
    status: 422,
    name: 'content-limit',
    title: 'The quiz or the account has no room for the questions',
    error:
      'Your Starter plan allows 64 MiB of questions and pictures in all quizzes, and this would exceed that limit. Delete questions or quizzes to make room, or upgrade your plan. Pictures that nothing shows are deleted after 7 days.',
    fix: 'Make the picture smaller, or delete questions that are no longer needed. See the guide on limits.',
  },
];
