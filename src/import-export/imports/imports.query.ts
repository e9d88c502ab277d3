import { IsOptional, IsString } from 'class-validator';
import {
  ChoiceField,
  LimitField,
  OffsetField,
  QueryText,
  StrictFlagField,
} from '../../platform/http/request/query-fields';
import { EXAMPLE_QUIZ } from '../../catalog/resources';
import { DIFFICULTIES, type Difficulty } from '../../catalog/vocabulary';
import { LIMITS } from '../../platform/limits/limits';
import { Malformed } from '../../platform/errors/domain-errors';
import { NotBlank } from '../../platform/http/request/text-fields';
import { Field } from '../../platform/openapi/fields';
import { tidy } from '../../platform/text/text.rules';
import { FORMAT_NAMES, type FormatName } from '../formats/formats';
import { COLUMN_NAMES, fieldOf } from '../formats/question-fields';
import { quote } from '../formats/row';
import { QUIZ_SIZE, REPORT_KINDS, type ImportOptions, type ReportKind } from './import';

const read = (text: string) => tidy(text) || undefined;

/** Query of POST /imports; the body is the file. */
export class CreateImportQuery {
  @ChoiceField(FORMAT_NAMES, {
    description:
      'The format; default: from `Content-Type`, else from the content, else from the extension of `filename`.',
  })
  format?: FormatName;

  @QueryText({
    max: 200,
    read,
    description:
      'The name of the file: the title of quizzes for which the file names neither title nor category.',
    example: 'rivers.csv',
  })
  filename?: string;

  @StrictFlagField({ description: '`true`: returns the same report and changes nothing.' })
  dry_run: boolean = false;

  @Field({
    type: 'string',
    optional: true,
    description:
      'A quiz of your own that all questions are appended to. Without it, new quizzes: those of the file, or for each category quizzes of 50 questions.',
    minLength: 1,
    pattern: '\\S',
    example: EXAMPLE_QUIZ,
  })
  @IsOptional()
  @IsString()
  @NotBlank()
  quiz_id?: string;

  @ChoiceField(DIFFICULTIES, { description: 'Used for questions without one in the file.' })
  difficulty: Difficulty = 'MEDIUM';

  @StrictFlagField({ description: 'Whether new quizzes are published.' })
  published: boolean = false;

  @QueryText({
    max: 500,
    read,
    description: 'The source of questions without one in the file.',
    example: 'Our own',
  })
  source?: string;

  @QueryText({ max: 500, read, description: 'Their licence.', example: 'CC BY-SA 4.0' })
  licence?: string;

  @QueryText({
    max: 200,
    read,
    description:
      'The title of the new quizzes, numbered if there are several; default: those of the file, else its categories, else its name.',
    example: 'Rivers of Europe',
  })
  title?: string;

  @QueryText({
    max: 100,
    read,
    description: 'The category of the new quizzes, instead of those of the file.',
    example: 'Rivers & Lakes',
  })
  category?: string;

  @LimitField(
    'Questions in each new quiz that has no title in the file.',
    LIMITS.content.questionsPerQuiz.value,
    'quiz_size',
  )
  quiz_size: number = QUIZ_SIZE;

  @QueryText({
    max: 5_000,
    description: `Of a table: what its columns are, in their order, separated by commas, instead of what their header says: ${Object.values(COLUMN_NAMES).join(', ')}; \`-\` leaves one out.`,
    example: 'question,answer_1,answer_2,correct_numbers,-',
  })
  columns?: string;

  @ChoiceField(['open', 'choice'], {
    description:
      'Of flash cards (rows of a question and its answer): typed answers, or a choice between the answers of several cards. Default: as their length suggests; the report says which.',
  })
  cards?: 'open' | 'choice';
}

/** What a list of column names means, in terms of `ReadOptions`. @throws Malformed */
export function readColumns(names: string): string[] {
  return names.split(',').map((name) => {
    const field = fieldOf(name.trim());
    if (!field && !['', '-'].includes(name.trim()))
      throw new Malformed(
        `columns: ${quote(name)} is not a kind of column. Use ${Object.values(COLUMN_NAMES).join(', ')}, or - to leave a column out.`,
        'invalid-parameter',
      );
    return field ?? '';
  });
}

/** The options of an import, from the API or a form. @param format if the query names none */
export const optionsOf = (query: CreateImportQuery, format?: FormatName): ImportOptions => ({
  dryRun: query.dry_run,
  published: query.published,
  difficulty: query.difficulty,
  format: query.format ?? format,
  quizId: query.quiz_id,
  source: query.source,
  licence: query.licence,
  title: query.title,
  category: query.category,
  quizSize: query.quiz_size,
  columns: query.columns ? readColumns(query.columns) : undefined,
  cards: query.cards,
});

/** A page of imports, or of an import's quizzes. */
export class PageQuery {
  @LimitField('Maximum number of results.')
  limit: number = 10;

  @OffsetField('Number of results to skip.')
  offset: number = 0;
}

/** A page of an import's report. */
export class ReportQuery extends PageQuery {
  @ChoiceField(REPORT_KINDS, {
    description: 'Only entries of this kind; default: all, errors first.',
  })
  kind?: ReportKind;
}
