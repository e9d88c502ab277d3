import { randomUUID } from 'node:crypto';
import { PICTURE_REFERENCE } from '../../media/references.rules';
import { parseUrl } from '../../platform/text/url.rules';
import type { FilePicture, FilePictures, ImportedQuestion, Writer } from './row';

/**
 * Where Markdown has the URL of an image: behind `](`, or behind the `]:` of a reference. Elsewhere, such as in HTML that a
 * question asks about, a URL is text. Code with Markdown's own syntax is taken for an image, though: `![a](media:ID)` is
 * replaced between backticks too. Looked for only where a URL begins: a long run of spaces is then read once.
 */
const IN_IMAGE = String.raw`(?<=\]\([\s<>]*)`;
const IN_REFERENCE = String.raw`(?<=\]:[\s<>]*)`;
const SHOWN = new RegExp(
  `(?=media:)(?:${IN_IMAGE}|${IN_REFERENCE})${PICTURE_REFERENCE.source}`,
  'gi',
);

const DATA = String.raw`data:image\/[\w.+-]{1,40};base64,`;
/** Some files break Base64 into lines, which has an end only between parentheses. */
const EMBEDDED = new RegExp(
  `(?=${DATA})(?:${IN_IMAGE}${DATA}[A-Za-z\\d+/=\\s]*(?<!\\s)|${IN_REFERENCE}${DATA}[A-Za-z\\d+/=]*)`,
  'gi',
);

const hexOf = (id: string): string => id.replaceAll('-', '');
/** No author knows it, so no text of theirs becomes a picture. */
const MARK = hexOf(randomUUID());
const STAND_IN = new RegExp(`(${MARK}[\\da-f]{32})`);
const standInFor = (id: string): string => MARK + hexOf(id);

/**
 * What stands for the Base64 of a picture in a text that is written: `withContents` puts the bytes there. A question may
 * show 64 MiB of pictures, and to escape them as text kept everybody else waiting for two seconds.
 */
export const base64Of = (id: string, { bytes }: FilePicture): string =>
  standInFor(id) + '='.repeat((3 - (bytes % 3)) % 3);

/** A written file with the contents of its pictures, read piece by piece as they are taken. */
export async function* withContents(
  written: ReturnType<Writer>,
  pictures: FilePictures = new Map(),
): AsyncGenerator<string | Uint8Array> {
  const byStandIn = new Map([...pictures].map(([id, picture]) => [standInFor(id), picture]));
  for await (const piece of written)
    if (typeof piece === 'string')
      for (const part of piece.split(STAND_IN)) {
        const picture = byStandIn.get(part);
        if (picture) yield* unpadded(picture);
        else if (part) yield part;
      }
    else yield piece;
}

/** In Base64 without the padding, which some formats escape. */
async function* unpadded({ read }: FilePicture): AsyncGenerator<string> {
  let rest: Uint8Array = Buffer.alloc(0);
  for await (const piece of read()) {
    const all = Buffer.concat([rest, piece]);
    const whole = all.length - (all.length % 3);
    yield all.toString('base64', 0, whole);
    rest = all.subarray(whole);
  }
  yield Buffer.from(rest).toString('base64').replaceAll('=', '');
}

/** A file is the only place where a picture can be, so its text has the bytes: other deployments read them. */
const dataUrl = (id: string, picture: FilePicture): string =>
  `data:${picture.type};base64,${base64Of(id, picture)}`;

type Texts = Pick<ImportedQuestion, 'text' | 'explanation' | 'answers'>;

/** All texts of a question. */
export const textsOfQuestion = ({ text, explanation = '', answers }: Texts): string[] => [
  text,
  explanation,
  ...answers.map((answer) => answer.text),
];

/** All texts of a question in another form. */
export function mapTexts<Q extends Texts>(question: Q, change: (text: string) => string): Q {
  return {
    ...question,
    text: change(question.text),
    ...(question.explanation && { explanation: change(question.explanation) }),
    answers: question.answers.map((answer) => ({ ...answer, text: change(answer.text) })),
  };
}

/** The question with its pictures in its texts, and stand-ins for their bytes. */
export function withEmbedded<Q extends ImportedQuestion>(
  question: Q,
  pictures: FilePictures | undefined,
): Q {
  if (!pictures?.size || question.format !== 'markdown') return question;
  return mapTexts(question, (text) =>
    replaceShown(text, (id) => {
      const picture = pictures.get(id);
      return picture && dataUrl(id, picture);
    }),
  );
}

/** The Markdown text with other URLs for the pictures that it shows. @param urlOf undefined: the reference stays */
export const replaceShown = (text: string, urlOf: (id: string) => string | undefined): string =>
  text.replace(SHOWN, (found, id: string) => urlOf(id.toLowerCase()) ?? found);

/** The URLs of the pictures that are embedded in a Markdown text, each once. */
export const embeddedIn = (text: string): string[] => [...new Set(text.match(EMBEDDED))];

/** The Markdown text with other URLs for its embedded pictures. */
export const replaceEmbedded = (text: string, change: (url: string) => string): string =>
  text.replace(EMBEDDED, change);

export const bytesOfUrl = (url: string): Buffer =>
  Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');

/** A text whose signs of markup are escaped, also those that begin its lines. Its spaces and line ends stay as they are. */
export const escapeMarkdown = (text: string): string =>
  text
    .replace(/[\\`*_{}[\]<>$|~&]/g, '\\$&')
    .split('\n')
    .map((line) => {
      const start = line.trimStart();
      const indent = line.slice(0, line.length - start.length);
      return indent + start.replace(/^(?=[#+-])/, '\\').replace(/^(\d{1,9})(?=[.)])/, '$1\\');
    })
    .join('\n');

/**
 * With an escaped sign in it, an address would be shown with the backslash. The end of a sentence is no part of it, nor a
 * `)` at its end, unless it closes a `(` of the address.
 */
const ADDRESS =
  /(https?:\/\/[^\s<>"`]+(?<=[^\s<>"`.,;:!?'’”»*_)\]]|https?:\/\/[^\s<>"`]*\([^\s<>"`()]*\)))/i;

/** Plain text as Markdown that shows it unchanged, but for spaces at the ends of its lines. */
export const plainAsMarkdown = (text: string): string =>
  text
    .split(/\r\n?|\n/)
    // The last line may go on with a picture.
    .map((line, at, lines) => plainLine(at < lines.length - 1 ? line.trimEnd() : line))
    .join('\n')
    .replace(/\n+/g, (ends) =>
      ends.length === 1 ? '\\\n' : `\n\n${'\\\n'.repeat(ends.length - 2)}`,
    );

const plainLine = (line: string): string =>
  wordsAsMarkdown(line)
    // The line above would be a heading, or the head of a table.
    .replace(/^(\s*)(?=[=:])/, '$1\\')
    // Four spaces would begin code, and fewer would be lost.
    .replace(/^[ \t]/, (space) => `&#${space.charCodeAt(0)};`);

/** A text with its addresses and its other words changed. */
const changed = (
  text: string,
  { address, words }: Record<'address' | 'words', (part: string) => string>,
): string =>
  text
    .split(ADDRESS)
    .map((part, at) => (at % 2 === 1 && parseUrl(part) ? address(part) : words(part)))
    .join('');

/** A text as Markdown that shows its signs of markup and its addresses unchanged. Its spaces and line ends stay as they are. */
export const wordsAsMarkdown = (text: string): string =>
  changed(text, {
    address: (url) => `<${url.replaceAll('&', '&amp;')}>`,
    words: plainWords,
  });

/** The same for a file: without backslashes it is the text again, and other programs find its addresses. */
export const escapeWords = (text: string): string =>
  changed(text, { address: (url) => url.replaceAll('\\', '\\\\'), words: escapeMarkdown });

/** What else looks like an address becomes no link. */
const plainWords = (text: string): string =>
  escapeMarkdown(text).replace(/(?<=www)\.|(?<=ftp|https?):/gi, '\\$&');
