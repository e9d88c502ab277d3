import { SHORTEST_TIME_LIMIT } from '../../../catalog/vocabulary';
import { LIMITS } from '../../../platform/limits/limits';
import { LANGUAGE_FORM } from '../../../platform/text/language.rules';
import { splitAtCommas } from '../../../platform/text/text.rules';
import { quizOf } from '../metadata';
import { COLUMN_NAMES, type GivenFields, type QuestionField } from '../question-fields';
import { type QuizOfRow, quote, type RulesInFile } from '../row';

/** The columns that exports have where they are set, the rules of play and the language, and what their cells may have. */
export const OPTIONAL = {
  language: ['quizLanguage', LANGUAGE_FORM],
  timeLimit: [
    'quizTimeLimit',
    `seconds, ${SHORTEST_TIME_LIMIT} to ${LIMITS.content.timeLimit.value}`,
  ],
  maxAttempts: ['quizMaxAttempts', `1 to ${LIMITS.content.attemptsPerPlayer.value}`],
  questionsPerAttempt: ['quizQuestionsPerAttempt', `1 to ${LIMITS.content.questionsPerQuiz.value}`],
  acceptTypos: ['quizAcceptTypos', 'true or false'],
} as const satisfies Record<'language' | keyof RulesInFile, [QuestionField, string]>;
export const OPTIONAL_NAMES = Object.keys(OPTIONAL) as (keyof typeof OPTIONAL)[];

/** What a cell of these has: a number, true or false, or a text. */
function valueOf(cell: string): unknown {
  if (/^\d+$/.test(cell)) return Number(cell);
  return /^(?:true|false)$/i.test(cell) ? cell.toLowerCase() === 'true' : cell;
}

/** The quiz that the cells of a row describe. `errors` gets what is wrong in one. */
export function quizOfCells(given: GivenFields, errors: string[]): QuizOfRow | undefined {
  const cell = (field: QuestionField): string => given.get(field)?.[0] ?? '';
  const [title, category] = [cell('quizTitle'), cell('quizCategory')];
  if (!title && !category) return undefined;
  const description = cell('quizDescription');
  const difficulty = cell('quizDifficulty');
  const tags = splitAtCommas(cell('quizTags')).filter(Boolean);
  const optional = OPTIONAL_NAMES.map((name) => [name, valueOf(cell(OPTIONAL[name][0]))]);
  const about = {
    title,
    description,
    category,
    difficulty,
    tags,
    ...(Object.fromEntries(optional) as Record<string, unknown>),
  };
  const quiz = quizOf(about, title ? `quiz:${title}` : `category:${category}`);
  for (const name of OPTIONAL_NAMES) {
    const [field, allowed] = OPTIONAL[name];
    if (cell(field) && quiz[name] === undefined)
      errors.push(`${COLUMN_NAMES[field]} cannot be ${quote(cell(field))}: write ${allowed}`);
  }
  return quiz;
}
