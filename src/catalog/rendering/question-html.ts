import { markdownText } from '../../platform/markdown/markdown';
import { plainHtml } from '../../platform/markdown/plain-text';
import type { QuestionFormat } from '../vocabulary';
import type { RenderedTexts } from './rendered-texts';

/** A text of a question as HTML. Only an explanation has links: a question that is being played stays in its page. */
export function textHtml(
  text: string,
  format: QuestionFormat | undefined,
  texts: RenderedTexts,
  links = false,
): string {
  return format === 'markdown' ? texts.of(text, links).html : plainHtml(text, links);
}

/** A text in one line without markup, for lists and sentences. */
export const textLine = (text: string, format: QuestionFormat | undefined): string =>
  format === 'markdown' ? markdownText(text) : text;

interface QuestionTexts {
  text: string;
  explanation: string | null;
  format: QuestionFormat;
}

/** A question with its text and explanation as HTML beside them. */
export const withHtml = <T extends QuestionTexts>(question: T, texts: RenderedTexts) => {
  const { text, explanation, format } = question;
  return {
    ...question,
    html: textHtml(text, format, texts),
    explanationHtml: explanation && textHtml(explanation, format, texts, true),
  };
};

/** The same for its answers. */
export const answersWithHtml = <T extends { text: string }>(
  answers: readonly T[],
  format: QuestionFormat | undefined,
  texts: RenderedTexts,
) => answers.map((answer) => ({ ...answer, html: textHtml(answer.text, format, texts) }));

/** A question with all its texts as HTML beside them. */
export const rendered = <T extends QuestionTexts & { answers: readonly { text: string }[] }>(
  question: T,
  texts: RenderedTexts,
) => ({
  ...withHtml(question, texts),
  answers: answersWithHtml(question.answers as T['answers'][number][], question.format, texts),
});
