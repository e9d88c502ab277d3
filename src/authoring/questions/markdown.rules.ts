import { setImmediate } from 'node:timers/promises';
import { Invalid, type Issue } from '../../platform/errors/domain-errors';
import { LIMITS } from '../../platform/limits/limits';
import { renderMarkdown } from '../../platform/markdown/markdown';
import { MarkdownError } from '../../platform/markdown/markdown-error';
import { codePoints } from '../../platform/text/text.rules';

const { answerText, explanationText, questionText } = LIMITS.content;

export interface WrittenQuestion {
  text: string;
  format?: string;
  explanation?: string | null;
  answers: readonly { text: string }[];
}

/** What cannot be shown of a question in Markdown, under the path of each text. */
export function markdownIssues(question: WrittenQuestion): Issue[] {
  return textsOf(question, '').flatMap(issuesOf);
}

type Written = [path: string, text: string, longest: number];

function textsOf(question: WrittenQuestion, path: string): Written[] {
  if (question.format !== 'markdown') return [];
  return [
    [`${path}text`, question.text, questionText.value],
    [`${path}explanation`, question.explanation ?? '', explanationText.value],
    ...question.answers.map(({ text }, index): Written => [
      `${path}answers[${index}].text`,
      text,
      answerText.value,
    ]),
  ];
}

function issuesOf([path, text, longest]: Written): Issue[] {
  // That is an error by itself, and a form of such formulas would take seconds.
  if (codePoints(text) > longest) return [];
  try {
    renderMarkdown(text);
    return [];
  } catch (error) {
    if (!(error instanceof MarkdownError)) throw error;
    return [{ path, message: `${path} ${error.message}`, code: 'markdown' }];
  }
}

/**
 * Renders the texts of questions, and lets other requests have their turn after each.
 * @param pathOf the path of a question by its place, with a dot
 * @returns what cannot be shown
 */
export async function unshowable(
  questions: readonly WrittenQuestion[],
  pathOf = (place: number) => `questions[${place}].`,
): Promise<Issue[]> {
  const issues: Issue[] = [];
  for (const [place, question] of questions.entries())
    for (const text of textsOf(question, pathOf(place))) {
      issues.push(...issuesOf(text));
      await setImmediate();
    }
  return issues;
}

/** @throws Invalid with what cannot be shown */
export async function requireShowable(...of: Parameters<typeof unshowable>): Promise<void> {
  const [first, ...rest] = await unshowable(...of);
  if (first) throw new Invalid('The body', [first, ...rest]);
}
