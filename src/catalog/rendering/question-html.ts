import { type Picture, showMarkdown } from '../../platform/markdown/markdown';
import { plainHtml } from '../../platform/markdown/plain-text';
import type { QuestionFormat } from '../vocabulary';

/** Stored images by their ids, as RenderingService finds them. */
export type PicturesById = ReadonlyMap<string, Picture>;

/** A text of a question as HTML. Only an explanation has links: a question that is being played stays in its page. */
export function textHtml(
  text: string,
  format: QuestionFormat | undefined,
  pictures: PicturesById,
  links = false,
): string {
  return format === 'markdown' ? showMarkdown(text, links, pictures).html : plainHtml(text, links);
}

interface Texts {
  text: string;
  explanation: string | null;
  format: QuestionFormat;
}

/** A question with its text and explanation as HTML beside them. */
export const withHtml = <T extends Texts>(question: T, pictures: PicturesById) => {
  const { text, explanation, format } = question;
  return {
    ...question,
    html: textHtml(text, format, pictures),
    explanationHtml: explanation && textHtml(explanation, format, pictures, true),
  };
};

/** The same for its answers. */
export const answersWithHtml = <T extends { text: string }>(
  answers: readonly T[],
  format: QuestionFormat | undefined,
  pictures: PicturesById,
) => answers.map((answer) => ({ ...answer, html: textHtml(answer.text, format, pictures) }));

/** A question with all its texts as HTML beside them. */
export const rendered = <T extends Texts & { answers: readonly { text: string }[] }>(
  question: T,
  pictures: PicturesById,
) => ({
  ...withHtml(question, pictures),
  answers: answersWithHtml(question.answers as T['answers'][number][], question.format, pictures),
});
