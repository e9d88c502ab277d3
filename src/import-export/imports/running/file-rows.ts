import { basename } from 'node:path';
import type { QuestionToImport } from '../../../authoring/questions/batch-import.service';
import { markdownIssues } from '../../../authoring/questions/markdown.rules';
import { QuestionInput } from '../../../authoring/questions/questions.dto';
import { CreateQuizRequest } from '../../../authoring/quizzes/quizzes.dto';
import { rulesOf } from '../../../catalog/vocabulary';
import { Invalid } from '../../../platform/errors/domain-errors';
import { readBody } from '../../../platform/http/request/validation.pipe';
import { firstCodePoints, tidy } from '../../../platform/text/text.rules';
import { type FormatName, formatOf } from '../../formats/formats';
import { type ImportedQuestion, onlyGiven, type QuizOfRow } from '../../formats/row';
import type { ImportSummary } from '../imports.dto';

/** Validates a file's rows by the rules of the API. */

/** Why a row is left out: the API's error. */
export class RowError extends Error {}

type Options = Pick<ImportSummary, 'difficulty' | 'source' | 'licence' | 'title' | 'category'>;

/** The question in the form of the API, with its attribution. @throws RowError */
export function toQuestion(
  question: ImportedQuestion,
  format: FormatName | undefined,
  { difficulty, source, licence }: Options,
): QuestionToImport {
  const attribution = format ? formatOf(format).attribution : undefined;
  const read = checked(() => readBody(QuestionInput, { difficulty, ...question }));
  const issues = markdownIssues(read);
  if (issues.length > 0) throw new RowError(issues.map(({ message }) => message).join('; '));
  return {
    ...read,
    source: question.source ?? source ?? attribution?.source ?? null,
    licence: question.licence ?? licence ?? attribution?.licence ?? null,
  };
}

/** The quiz fields for rows: from the file, and the defaults of the import. */
export type GroupQuiz = Omit<QuizOfRow, 'key'> & {
  /** For the titles of quizzes: that of the import; else the file's, if it names neither title nor category. */
  name?: string;
};

/** The key of a row's group: the quiz in the file, unless the import has a title or a category of its own. */
export function groupOf(quiz: QuizOfRow | undefined, { title, category }: Options): string {
  if (title) return `of:${category ?? quiz?.category ?? ''}`;
  return category && !quiz?.title ? 'of:' : (quiz?.key ?? '');
}

/** @throws RowError if the API would not accept such a quiz */
export function toGroupQuiz(
  quiz: QuizOfRow | undefined,
  file: string,
  format: FormatName | undefined,
  options: Options,
): GroupQuiz {
  const { attribution, categories } = format ? formatOf(format) : {};
  const given: Partial<QuizOfRow> =
    quiz ?? (categories ? { category: nameOf(file, categories) } : {});
  const ofFile: Partial<QuizOfRow> = options.title ? {} : given;
  const { title, description, difficulty, tags, language, kept } = ofFile;
  // A quiz without a title is named after it.
  const category = tidy(options.category ?? given.category ?? '') || undefined;
  const about: Omit<GroupQuiz, 'name'> = {
    title,
    description,
    category,
    difficulty,
    tags,
    language,
    kept,
    ...rulesOf(ofFile),
  };
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
  const name = options.title ?? (title || category ? undefined : nameOf(file));
  return onlyGiven({ ...about, name });
}

/** `music.txt` is "Music", `far_waters.gift.txt` "Far Waters". */
function nameOf(file: string, names?: ReadonlyMap<string, string>): string | undefined {
  const stem = basename(file)
    .replace(/\.txt$/i, '')
    .replace(/\.[a-z0-9]+$/i, '');
  const words = names?.get(stem) ?? stem.replace(/[-_]+/g, ' ').trim();
  const name = words.replace(/(^|\s)\p{L}/gu, (initial) => initial.toUpperCase());
  return tidy(firstCodePoints(name, 100)) || undefined;
}

function checked<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    throw new RowError((error.details ?? []).map(({ message }) => message).join('; '));
  }
}
