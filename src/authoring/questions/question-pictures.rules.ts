import type { QuestionFormat } from '../../catalog/vocabulary';
import { type PictureReference, picturesIn, withPictures } from '../../media/references.rules';
import type { Issue } from '../../platform/errors/domain-errors';
import { isId } from '../../platform/text/ids';

/** The texts of a question, and how they are written. */
interface Texts {
  text: string;
  format?: QuestionFormat | undefined;
  explanation?: string | null | undefined;
  answers: readonly { text: string }[];
}

/** A picture of a question: in which of its fields it is. */
type QuestionPicture = PictureReference & { path: string };

/** The pictures that a question shows. In plain text there are none. */
export function picturesOf({ text, format, explanation, answers }: Texts): QuestionPicture[] {
  if (format !== 'markdown') return [];
  const fields: [path: string, markdown: string][] = [
    ['text', text],
    ...answers.map((answer, at): [string, string] => [`answers[${at}].text`, answer.text]),
    ['explanation', explanation ?? ''],
  ];
  return fields.flatMap(([path, markdown]) =>
    picturesIn(markdown).map((picture) => ({ ...picture, path })),
  );
}

/** Their ids, as a question is stored with them; null for none. */
export function mediaOf(question: Texts): string[] | null {
  const ids = picturesOf(question).map(({ id }) => id);
  return ids.length > 0 ? [...new Set(ids.filter(isId))] : null;
}

/** The question with other pictures in place of these. */
export function withOtherPictures<Q extends Texts>(
  question: Q,
  ids: ReadonlyMap<string, string>,
): Q {
  if (ids.size === 0 || question.format !== 'markdown') return question;
  return {
    ...question,
    text: withPictures(question.text, ids),
    ...(question.explanation && { explanation: withPictures(question.explanation, ids) }),
    answers: question.answers.map((answer) => ({
      ...answer,
      text: withPictures(answer.text, ids),
    })),
  };
}

/**
 * What is wrong with the pictures of a question.
 * @param pictures as `picturesOf` finds them
 * @param owned ids of its account's pictures
 * @param prefix of the paths: `questions[3].`
 */
export function pictureIssues(
  pictures: readonly QuestionPicture[],
  owned: ReadonlySet<string>,
  isPublic: boolean,
  prefix: string,
): Issue[] {
  return pictures.flatMap(({ id, alt, path: field }): Issue[] => {
    const path = prefix + field;
    const issue = pictureIssue({ id, alt }, owned);
    if (!issue || (issue.code === 'alternative_text' && !isPublic)) return [];
    return [{ ...issue, path, message: `${path} ${issue.message}` }];
  });
}

/** What is wrong with a picture in a public quiz: the message is the rest of a sentence that begins with the field. */
export function pictureIssue(
  { id, alt }: PictureReference,
  owned: { has: (id: string) => boolean },
): Omit<Issue, 'path'> | null {
  if (!owned.has(id)) {
    const message = `shows a picture that your account does not have (media:${id.slice(0, 40)}): upload the picture, and use the id that you get`;
    return { message, code: 'unknown_picture' };
  }
  return alt ? null : { message: NO_ALT, code: 'alternative_text' };
}

/** What those who do not see a picture read. */
export const NO_ALT =
  'shows a picture without an alternative text, and a public quiz needs one: say what it shows between the brackets, as in ![Map of Europe](media:…)';

/** The text of a question without its pictures, on one line. */
export function shortened(text: string): string {
  const [first = '', ...pictures] = text.split('![');
  // The alternative text may have brackets.
  const behind = (part: string) => part.slice(part.indexOf(')', part.indexOf('](')) + 1);
  const parts = [first, ...pictures.map(behind)];
  const characters = [...parts.join('').replace(/\s+/g, ' ').trim()];
  return characters.length > 40 ? `${characters.slice(0, 40).join('')}…` : characters.join('');
}
