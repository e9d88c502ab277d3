import { setImmediate } from 'node:timers/promises';
import type { QuestionFormat } from '../../catalog/vocabulary';
import { Invalid, type Issue } from '../../platform/errors/domain-errors';
import { renderMarkdown } from '../../platform/markdown/markdown';
import { MarkdownError } from '../../platform/markdown/markdown-error';

interface WrittenQuestion {
  text: string;
  format?: QuestionFormat;
  explanation?: string | null;
  answers: readonly { text: string }[];
}

/** What cannot be shown of a question in Markdown, under the path of each text. @param path of the question, with a dot */
export function markdownIssues(question: WrittenQuestion, path = ''): Issue[] {
  return textsOf(question, path).flatMap(issuesOf);
}

function textsOf(question: WrittenQuestion, path: string): [path: string, text: string][] {
  if (question.format !== 'markdown') return [];
  const texts: [path: string, text: string][] = [
    [`${path}text`, question.text],
    [`${path}explanation`, question.explanation ?? ''],
    ...question.answers.map(
      ({ text }, index) => [`${path}answers[${index}].text`, text] as [string, string],
    ),
  ];
  return texts;
}

function issuesOf([path, text]: [path: string, text: string]): Issue[] {
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
 * @throws Invalid with what cannot be shown
 */
export async function requireShowable(
  questions: readonly WrittenQuestion[],
  pathOf = (place: number) => `questions[${place}].`,
): Promise<void> {
  const issues: Issue[] = [];
  for (const [place, question] of questions.entries())
    for (const text of textsOf(question, pathOf(place))) {
      issues.push(...issuesOf(text));
      await setImmediate();
    }
  const [first, ...rest] = issues;
  if (first) throw new Invalid('The body', [first, ...rest]);
}
