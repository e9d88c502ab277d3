import { PICTURE_REFERENCE } from '../../media/references.rules';
import type { FilePicture, FilePictures, ImportedQuestion } from './row';

/** The beginning of a picture within a Markdown text, up to its Base64. */
const DATA = /\(data:image\/[\w.+-]{1,40};base64,/gi;
const BASE64 = /[A-Za-z\d+/=\s]*/y;

/** A file is the only place where a picture can be, so its text has the bytes: other deployments read them. */
const dataUrl = ({ type, content }: FilePicture): string =>
  `data:${type};base64,${content.toString('base64')}`;

type Texts = Pick<ImportedQuestion, 'text' | 'explanation' | 'answers'>;

/** All texts of a question. */
export const textsOf = ({ text, explanation = '', answers }: Texts): string[] => [
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

/** The question with its pictures in its texts. */
export function withEmbedded<Q extends ImportedQuestion>(
  question: Q,
  pictures: FilePictures | undefined,
): Q {
  if (!pictures?.size || question.format !== 'markdown') return question;
  return mapTexts(question, (text) =>
    text.replace(PICTURE_REFERENCE, (found, id: string) => {
      const picture = pictures.get(id.toLowerCase());
      return picture ? dataUrl(picture) : found;
    }),
  );
}

/** The URLs of the pictures that are embedded in a Markdown text, each once. */
export function embeddedIn(text: string): string[] {
  const found = new Set<string>();
  for (const { index, 0: start } of text.matchAll(DATA)) {
    BASE64.lastIndex = index + start.length;
    found.add(start.slice(1) + (BASE64.exec(text)?.[0] ?? ''));
  }
  return [...found];
}

export const bytesOfUrl = (url: string): Buffer =>
  Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');

/** Plain text as Markdown that shows it unchanged. */
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
