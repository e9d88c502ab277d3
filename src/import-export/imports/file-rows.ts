import { basename } from 'node:path';
import { QuestionInput } from '../../authoring/questions/batch-import.request';
import type { QuestionToImport } from '../../authoring/questions/batch-import.service';
import { CreateQuizRequest } from '../../authoring/quizzes/create-quiz.request';
import { Invalid } from '../../platform/errors/domain-errors';
import { readBody } from '../../platform/http/request/validation.pipe';
import { formatOf, type FormatName } from '../formats/formats';
import { onlyGiven, type ImportedQuestion, type QuizOfRow } from '../formats/row';
import type { Import } from './import';

/** Validates a file's rows by the rules of the API. */

/** Why a row is left out: the API's error. */
export class RowError extends Error {}

type Options = Pick<Import, 'difficulty' | 'source' | 'licence'>;

/** The question in the form of the API, with its attribution. @throws RowError */
export function toQuestion(
  question: ImportedQuestion,
  format: FormatName | undefined,
  { difficulty, source, licence }: Options,
): QuestionToImport {
  const attribution = format ? formatOf(format).attribution : undefined;
  return {
    ...checked(() => readBody(QuestionInput, { difficulty, ...question })),
    source: question.source ?? source ?? attribution?.source ?? null,
    licence: question.licence ?? licence ?? attribution?.licence ?? null,
  };
}

/** The quiz fields for rows: from the file, and the defaults of the import. */
export type GroupQuiz = Omit<QuizOfRow, 'key'> & {
  /** The name of the file, for the titles of quizzes if the file names neither title nor category. */
  name?: string;
};

/** @throws RowError if the API would not accept such a quiz */
export function toGroupQuiz(
  quiz: QuizOfRow | undefined,
  file: string,
  format: FormatName | undefined,
  options: Options,
): GroupQuiz {
  const attribution = format ? formatOf(format).attribution : undefined;
  // OpenTriviaQA's file names are its categories. Other files' names are no categories that readers should see.
  const { title, description, category, difficulty, tags } =
    quiz ?? (attribution ? { category: nameOf(file) } : {});
  const about: Omit<GroupQuiz, 'name'> = { title, description, category, difficulty, tags };
  if (!title) {
    const from = [options.source ?? attribution?.source, options.licence ?? attribution?.licence];
    const said = from.filter(Boolean).join(', ');
    about.description ??= said ? `From ${said}.` : undefined;
    about.tags ??= attribution && !options.source ? [...attribution.tags] : undefined;
  }
  checked(() =>
    readBody(CreateQuizRequest, {
      ...onlyGiven(about),
      title: title ?? 'Untitled',
      difficulty: difficulty ?? options.difficulty,
    }),
  );
  return onlyGiven({ ...about, ...(!title && !category && { name: nameOf(file) }) });
}

/** `religion-faith` is "Religion & Faith", `examples.gift.txt` "Examples". */
function nameOf(file: string): string | undefined {
  const words = basename(file)
    .replace(/\.txt$/i, '')
    .replace(/\.[a-z0-9]+$/i, '')
    .replace(/^(science)-(technology)$|^(religion)-(faith)$/, '$1$3 & $2$4')
    .replace(/[-_]+/g, ' ')
    .trim();
  const name = words.replace(/(^|\s)\p{L}/gu, (initial) => initial.toUpperCase());
  return [...name].slice(0, 100).join('').trim() || undefined;
}

function checked<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    throw new RowError((error.details ?? []).map(({ message }) => message).join('; '));
  }
}
