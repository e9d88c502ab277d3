import { IsOptional, IsString } from 'class-validator';
import {
  ChoiceField,
  LimitField,
  OffsetField,
  QueryText,
  StrictFlagField,
} from '../../platform/http/request/query-fields';
import { EXAMPLE_QUIZ } from '../../catalog/quizzes/quizzes.dto';
import { DIFFICULTIES, type Difficulty } from '../../catalog/vocabulary';
import { LIMITS } from '../../platform/limits/limits';
import { Malformed } from '../../platform/errors/domain-errors';
import { NotBlank } from '../../platform/http/request/text-fields';
import { Example, Field } from '../../platform/openapi/fields';
import { tidy } from '../../platform/text/text.rules';
import { FORMAT_NAMES, type FormatName } from '../formats/formats';
import { COLUMN_NAMES, fieldOf } from '../formats/question-fields';
import { quote } from '../formats/row';
import { QUIZ_SIZE, REPORT_KINDS, type ImportOptions, type ReportKind } from './import';

const read = (text: string) => tidy(text) || undefined;

/** Query of POST /imports; the body is the file. */
export class CreateImportQuery {
  /**
   * The format; default: from `Content-Type`, else from the content, else from the extension of `filename`.
   */
  @ChoiceField(FORMAT_NAMES)
  format?: FormatName;

  /**
   * The name of the file: the title of quizzes for which the file names neither title nor category.
   * @example rivers.csv
   */
  @QueryText({ max: 200, read })
  filename?: string;

  /** `true`: returns the same report and changes nothing. */
  @StrictFlagField()
  dry_run: boolean = false;

  /**
   * A quiz of your own that all questions are appended to. Without it, new quizzes: those of the file, or for each
   * category quizzes of 50 questions.
   */
  @Example(EXAMPLE_QUIZ)
  @Field({ type: 'string', optional: true, minLength: 1, pattern: '\\S' })
  @IsOptional()
  @IsString()
  @NotBlank()
  quiz_id?: string;

  /** Used for questions without one in the file. */
  @ChoiceField(DIFFICULTIES)
  difficulty: Difficulty = 'MEDIUM';

  /** Whether new quizzes are published. */
  @StrictFlagField()
  published: boolean = false;

  /** The source of questions without one in the file. @example "Our own" */
  @QueryText({ max: 500, read })
  source?: string;

  /** Their licence. @example "CC BY-SA 4.0" */
  @QueryText({ max: 500, read })
  licence?: string;

  /**
   * The title of the new quizzes, numbered if there are several; default: those of the file, else its categories, else
   * its name.
   * @example "Rivers of Europe"
   */
  @QueryText({ max: 200, read })
  title?: string;

  /** The category of the new quizzes, instead of those of the file. @example "Rivers & Lakes" */
  @QueryText({ max: 100, read })
  category?: string;

  /** Questions in each new quiz that has no title in the file. */
  @LimitField(LIMITS.content.questionsPerQuiz.value, 'quiz_size')
  quiz_size: number = QUIZ_SIZE;

  /**
   * Of a table: what its columns are, in their order, separated by commas, instead of what their header says.
   * @example question,answer_1,answer_2,correct_numbers,-
   */
  @Field({ continued: `: ${Object.values(COLUMN_NAMES).join(', ')}; \`-\` leaves one out.` })
  @QueryText({ max: 5_000 })
  columns?: string;

  /**
   * Of flash cards (rows of a question and its answer): typed answers, or a choice between the answers of several
   * cards. Default: as their length suggests; the report says which.
   */
  @ChoiceField(['open', 'choice'])
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
  /** Maximum number of results. */
  @LimitField()
  limit: number = 10;

  /** Number of results to skip. */
  @OffsetField()
  offset: number = 0;
}

/** A page of an import's report. */
export class ReportQuery extends PageQuery {
  /** Only entries of this kind; default: all, errors first. */
  @ChoiceField(REPORT_KINDS)
  kind?: ReportKind;
}
