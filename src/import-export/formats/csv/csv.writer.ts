import { Malformed } from '../../../platform/errors/domain-errors';
import { CSV_MARK, csvRow, splitAtCommas } from '../../../platform/text/text.rules';
import { MOST_COLUMNS } from './csv-head';
import type { ExportedQuiz } from '../row';

/** Answer columns, in addition to the twelve metadata columns. */
const MOST_ANSWERS = MOST_COLUMNS - 12;

/**
 * RFC 4180, with commas and CR LF; the columns are those of docs/import-export.md.
 * @throws Malformed at once for a question with more answers than the reader accepts columns
 */
export function writeCsv(quiz: ExportedQuiz): Generator<string> {
  const most = quiz.questions.reduce((most, { answers }) => Math.max(most, answers.length), 2);
  if (most > MOST_ANSWERS)
    throw new Malformed(
      `A question of this quiz has ${most} answers, and CSV has columns for ${MOST_ANSWERS}: choose another format.`,
    );
  return rowsOf(quiz, most);
}

function* rowsOf(quiz: ExportedQuiz, most: number): Generator<string> {
  const { questions } = quiz;
  const hasAttribution = questions.some(({ source, licence }) => source ?? licence);
  const about = [
    quiz.title,
    quiz.description ?? '',
    quiz.category ?? '',
    quiz.difficulty,
    joinTags(quiz.tags),
  ];
  yield (
    CSV_MARK +
    csvRow([
      ...['question', 'type', 'difficulty', 'explanation', 'correct_numbers'],
      ...Array.from({ length: most }, (_, i) => `answer_${i + 1}`),
      ...(hasAttribution ? ['source', 'licence'] : []),
      ...['quiz_title', 'quiz_description', 'quiz_category', 'quiz_difficulty', 'quiz_tags'],
    ])
  );
  for (const { text, type, difficulty, explanation, answers, source, licence } of questions) {
    const correct = answers.flatMap(({ isCorrect }, i) => (isCorrect ? [i + 1] : []));
    yield csvRow([
      ...[text, type, difficulty, explanation ?? '', correct.join(' ')],
      ...Array.from({ length: most }, (_, i) => answers[i]?.text ?? ''),
      ...(hasAttribution ? [source ?? '', licence ?? ''] : []),
      ...about,
    ]);
  }
}

/** Tags in one cell: `sun, moon`; a comma or backslash within a tag has a backslash before it. */
function joinTags(tags: readonly string[]): string {
  return tags.map((tag) => tag.replace(/[\\,]/g, '\\$&')).join(', ');
}

export const splitTags = (cell: string): string[] => splitAtCommas(cell).filter(Boolean);
