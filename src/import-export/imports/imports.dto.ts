import { IsOptional, IsString } from 'class-validator';
import type { Scope } from '../../access/accounts/scope.rules';
import { EXAMPLE_QUIZ } from '../../catalog/quizzes/quizzes.dto';
import {
  DIFFICULTIES,
  type Difficulty,
  QUESTION_FORMATS,
  type QuestionFormat,
  type QuestionType,
} from '../../catalog/vocabulary';
import {
  ChoiceField,
  LimitField,
  OffsetField,
  QueryText,
  StrictFlagField,
} from '../../platform/http/request/query-fields';
import { NotBlank } from '../../platform/http/request/text-fields';
import { LIMITS } from '../../platform/limits/limits';
import type { Failure } from '../../platform/openapi/failures';
import { Choice, Example, Field, Named, SchemaName, Whole } from '../../platform/openapi/fields';
import { tidy } from '../../platform/text/text.rules';
import { FORMAT_NAMES, type FormatName } from '../formats/formats';
import { COLUMN_NAMES, isField, readColumns } from '../formats/question-fields';
import { EMPTY_FILE } from '../formats/read-rows';
import {
  type Bytes,
  type ImportedQuestion,
  type ReadOptions,
  type TableColumn,
} from '../formats/row';
import {
  IMPORT_STATES,
  type ImportState,
  QUIZ_SIZE,
  REPORT_KINDS,
  type ReportKind,
} from './import.rules';
import { unsupportedFile } from './import-file';

export const EXAMPLE_IMPORT = '019a9f3e-6c00-7000-8000-000000000050';
const TIME = '2026-11-21T12:00:00.000Z';

/** How the questions of a file become quizzes. */
export interface ImportOptions {
  /** Recognised from the content if not given. */
  format?: FormatName | undefined;
  /** Report only. */
  dryRun: boolean;
  /** Append everything to this quiz of the account, instead of one quiz for each category (and 50 questions). */
  quizId?: string | undefined;
  /** Used for questions without one in the file. */
  difficulty: Difficulty;
  /** Of the created quizzes. */
  published: boolean;
  /** Used for questions without one in the file; some formats have their own. */
  source?: string | undefined;
  licence?: string | undefined;
  /** Of the created quizzes, instead of those of the file. With a title the whole file becomes quizzes of this title. */
  title?: string | undefined;
  category?: string | undefined;
  /** Questions in each created quiz that has no title in the file. */
  quizSize?: number | undefined;
  /** How the file is read: `ReadOptions`. */
  columns?: readonly string[] | undefined;
  cards?: ReadOptions['cards'];
  /** Of the API key that sends it: without `publish` it adds nothing to a live quiz. Absent outside the API. */
  scopes?: readonly Scope[] | undefined;
}

/** An uploaded file, and the options of its import. */
export interface NewImport {
  accountId: string;
  /** Its name for people; the title of quizzes for which the file names neither title nor category. */
  fileName: string;
  bytes: Bytes;
  options: ImportOptions;
}

/** The rows of a page, and how many there are on all pages. */
export interface Found<Row> {
  rows: Row[];
  total: number;
}

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
  @QueryText({ max: LIMITS.imports.fileName.value, read })
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
  @QueryText({ max: LIMITS.content.attribution.value, read })
  source?: string;

  /** Their licence. @example "CC BY-SA 4.0" */
  @QueryText({ max: LIMITS.content.attribution.value, read })
  licence?: string;

  /**
   * The title of the new quizzes, numbered if there are several; default: those of the file, else its categories, else
   * its name.
   * @example "Rivers of Europe"
   */
  @QueryText({ max: LIMITS.content.quizTitle.value, read })
  title?: string;

  /** The category of the new quizzes, instead of those of the file. @example "Rivers & Lakes" */
  @QueryText({ max: LIMITS.content.categoryName.value, read })
  category?: string;

  /** Questions in each new quiz that has no title in the file. */
  @LimitField(LIMITS.content.questionsPerQuiz.value, 'quiz_size')
  quiz_size: number = QUIZ_SIZE;

  /**
   * Of a table: what its columns are, in their order, separated by commas, instead of what their header says.
   * @example question,answer_1,answer_2,correct_numbers,-
   */
  @Field({ continued: `: ${Object.values(COLUMN_NAMES).join(', ')}; \`-\` leaves one out.` })
  @QueryText({ max: LIMITS.imports.columnNames.value })
  columns?: string;

  /**
   * Of flash cards (rows of a question and its answer): typed answers, or a choice between the answers of several
   * cards. Default: as their length suggests; the report says which.
   */
  @ChoiceField(['open', 'choice'])
  cards?: 'open' | 'choice';
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

/** Every row of the file is an error, a duplicate, or importable. */
export class ImportTotals {
  /** Rows of the file. @example 12 */
  @Whole() rows!: number;
  /** Rows that can be imported. @example 10 */
  @Whole() importable!: number;
  /** Questions that were imported. @example 10 */
  @Whole() imported!: number;
  /** Quizzes that were created; for a dry run, that would be created. @example 1 */
  @Whole() quizzes!: number;
  /** Rows that are not imported: the account or the file has the question already. @example 1 */
  @Whole() duplicates!: number;
  /** Rows that are not imported because of an error. @example 1 */
  @Whole() errors!: number;
  /** Notes about content that is not kept. @example 0 */
  @Whole() notes!: number;
}

/** An import with its counts. */
@SchemaName('Import')
export class ImportSummary {
  /** The id of the import, for its URLs in the API. */
  @Example(EXAMPLE_IMPORT) id!: string;
  /**
   * `receiving`, `waiting` and `running`: it is under way. `completed`. `failed`: the file cannot be read to its end,
   * or the service failed, and nothing was imported. `failed` is also an import that does not fit into your plan.
   * `stopped`: by a quota that was used up meanwhile, a deleted quiz or a failure of the service; `cancelled`. What a
   * stopped or cancelled import has written stays.
   * @example completed
   */
  @Choice(IMPORT_STATES)
  state!: ImportState;
  /** Whether it is a dry run. @example false */
  dryRun!: boolean;
  /** The name of the file. @example rivers.csv */
  filename!: string;
  /** Its format; null until it is recognised, and for several files of different formats. @example csv */
  @Choice(FORMAT_NAMES)
  format!: FormatName | null;
  /** Bytes of the file. @example 2048 */
  @Whole() size!: number;
  /** The quiz that all questions are appended to; null: new quizzes. */
  @Example(EXAMPLE_QUIZ)
  quizId!: string | null;
  @Named('Difficulty') difficulty!: Difficulty;
  /** Whether new quizzes are published. @example false */
  published!: boolean;
  /** The source of questions without one in the file. @example "Our own" */
  source!: string | null;
  /** Their licence. @example "CC BY-SA 4.0" */
  licence!: string | null;
  /** The title of new quizzes; null: as in the file. */
  @Example(null) title!: string | null;
  /** Their category; null: as in the file. @example "Rivers & Lakes" */
  category!: string | null;
  /** Questions in each new quiz without a title in the file. @example 50 */
  @Whole() quizSize!: number;
  /** Percent of all work. @example 100 */
  @Whole({ minimum: 0, maximum: 100 }) progress!: number;
  totals!: ImportTotals;
  /** Why it failed or stopped; null otherwise. */
  @Example(null) error!: string | null;
  /** When the file arrived. */
  @Example(TIME) createdAt!: Date;
  /** When a worker began. */
  @Example(TIME) startedAt!: Date | null;
  /** When it ended. */
  @Example(TIME) finishedAt!: Date | null;
}

/** What was taken back of an import. */
export class Deleted {
  /** Quizzes that were deleted. @example 23 */
  @Whole() quizzes!: number;
  /** Questions that were deleted, with or without their quiz. @example 1150 */
  @Whole() questions!: number;
  /** Whether more is left: then the status is 202, and the request is repeated. @example false */
  more!: boolean;
}

export class ImportColumn {
  /** The name in the header, or `Column 1` without one. @example Question */
  name!: string;
  /** Its first value. @example "Which river flows through Vienna?" */
  sample!: string;
  /** What it is used as, as in the parameter `columns`; null: it is ignored. @example question */
  field!: string | null;
}

export class SampleAnswer {
  /** The answer. @example "The Danube" */
  text!: string;
  /** Whether it is correct. @example true */
  isCorrect!: boolean;
}

/** A group of the file's rows: a quiz of its own, or the quizzes of a category. */
export class ImportGroup {
  /** The file; quizctl imports several at once. @example rivers.csv */
  file!: string;
  /** The title of a whole quiz. @example "Rivers of Europe" */
  title!: string | null;
  /** The category of the quiz; null if it has none. @example "Rivers & Lakes" */
  category!: string | null;
  /** The name from which quizzes without either get their title. */
  @Example(null) name!: string | null;
  /** Rows that can be imported. @example 10 */
  @Whole() rows!: number;
  /** Those that were, into new quizzes. @example 10 */
  @Whole() imported!: number;
}

/** A quiz that an import has created or added to. */
export class ImportQuiz {
  /** The id of the quiz. */
  @Example(EXAMPLE_QUIZ) id!: string;
  /** Its title, as it was then. @example "Rivers & Lakes (1)" */
  title!: string;
  /** The slug of the quiz, as in `/play/{slug}`. @example rivers-lakes-1 */
  slug!: string;
  /** Questions that it got from this import. @example 10 */
  @Whole() questions!: number;
  /** Whether it has been deleted since. @example false */
  deleted!: boolean;
}

/** A question of a preview as it will be. */
export class SampleQuestion {
  /** The question. @example "Which river flows through Vienna?" */
  text!: string;
  @Named('QuestionType') type!: QuestionType;
  @Named('Difficulty') difficulty!: Difficulty;
  /** How it is written; null: plain. */
  @Example(null)
  @Choice(QUESTION_FORMATS, { nullable: true })
  format!: QuestionFormat | null;
  /** Why the answer is correct; null if the file does not say. */
  @Example(null) explanation!: string | null;
  /** The answers of the question, in the order of the file. */
  answers!: SampleAnswer[];
}

/** The same with the language of its quiz, for pages. */
export type SampleWithLanguage = SampleQuestion & { language: string | null };

export const toSampleQuestion = (sample: SampleWithLanguage): SampleQuestion => {
  const { text, type, difficulty, format, explanation, answers } = sample;
  return { text, type, difficulty, format, explanation, answers };
};

export class ImportReportEntry {
  /** `error` and `duplicate` leave the row out; `note` does not. */
  @Choice(REPORT_KINDS)
  kind!: ReportKind;
  /** The file; quizctl imports several at once. @example rivers.csv */
  file!: string;
  /** Where the row begins, from 1. @example 7 */
  @Whole() line!: number;
  /** The location within the line, if the line is not enough. @example questions[3] */
  path!: string | null;
  /** What is wrong and how to fix it. @example "No answer is marked as correct: mark one." */
  message!: string;
}

/** An import with its report. */
export class ImportDetail extends ImportSummary {
  /**
   * Of a dry run: why the import would be refused, and what to do. null: it fits into your plan.
   * @example "The file makes 28 quizzes, and your Starter plan has room for 23 of them. Delete 5 of your quizzes, put more questions into each new quiz, append the file to one quiz, or upgrade your plan."
   */
  problem!: string | null;
  /** Of a table (CSV, XLSX): its columns, and what each is read as. Otherwise empty. */
  columns!: ImportColumn[];
  /** Of a dry run: the first ten questions as they will be. */
  questions!: SampleQuestion[];
  /** What the file makes: quizzes with a title, or categories. The first 50. */
  groups!: ImportGroup[];
  /**
   * The quizzes that the import has created, or the one that it was appended to, in the order of the file. The first
   * 50; `GET /imports/{id}/quizzes` lists all.
   */
  quizzes!: ImportQuiz[];
  /**
   * This page of the report: errors, then duplicates and notes, each in the order of the file. At most 1,000 of each
   * (and 128 KiB) are kept; `totals` counts all.
   */
  report!: ImportReportEntry[];
}

/** An import as the service sees it. */
export interface ImportView extends ImportSummary {
  /** How the columns and flash cards are to be read; null: as the file shows. */
  read: string[] | null;
  cards: 'open' | 'choice' | null;
  /** How the columns of a table are read; null for other formats. */
  columns: TableColumn[] | null;
  /** Whether it is a preview whose questions are kept to be imported. */
  startable: boolean;
  /** Whether it is a preview whose file is kept to be read again with other options. */
  changeable: boolean;
  /** Whether it is a preview that is imported as soon as it is read, if it fits into the plan. */
  startsOnceRead: boolean;
  /** What the importable questions add to the account's, as its plan counts it. */
  contentBytes: number;
  /** Whether the file was read completely: only then are `rows` and `importable` final. */
  checked: boolean;
}

/** The name of each kind's counter. */
export const countsOf = ({ totals }: ImportSummary): Record<ReportKind, number> => ({
  error: totals.errors,
  duplicate: totals.duplicates,
  note: totals.notes,
});

/** An import in a list; a preview with its first question. */
export type ListedImport = ImportView & {
  firstQuestion: Pick<ImportedQuestion, 'text' | 'format'> | null;
};

/** A note that several rows have. */
export interface GroupedNote {
  message: string;
  count: number;
  /** The first ten. */
  lines: number[];
}

/** An import, a page of its report, and the first of its groups and of the quizzes that it has created. */
export interface ImportReport {
  view: ImportView;
  /** Why the preview cannot be imported as a whole; null: it can. */
  problem: string | null;
  sample: SampleWithLanguage[];
  entries: Found<ImportReportEntry>;
  notes: GroupedNote[];
  groups: ImportGroup[];
  /** Whether a group, also one that is not listed, has neither a title nor a category. */
  isUntitled: boolean;
  quizzes: Found<ImportQuiz>;
}

/** The fields of an import that are shown. */
export const toImport = (view: ImportView): ImportSummary => ({
  id: view.id,
  state: view.state,
  dryRun: view.dryRun,
  filename: view.filename,
  format: view.format,
  size: view.size,
  quizId: view.quizId,
  difficulty: view.difficulty,
  published: view.published,
  source: view.source,
  licence: view.licence,
  title: view.title,
  category: view.category,
  quizSize: view.quizSize,
  progress: view.progress,
  totals: view.totals,
  error: view.error,
  createdAt: view.createdAt,
  startedAt: view.startedAt,
  finishedAt: view.finishedAt,
});

/** With the names of the parameter `columns`. */
export function columnsOf({ columns }: ImportView) {
  let answers = 0;
  return (columns ?? []).map(({ field, ...column }) => {
    if (field === 'option') return { ...column, field: `answer_${++answers}` };
    return { ...column, field: field && isField(field) ? COLUMN_NAMES[field] : null };
  });
}

export const IMPORT_NOT_FOUND: Failure = {
  status: 404,
  name: 'import-not-found',
  title: 'Your account has no such import',
  error: 'Import not found.',
  fix: 'Take the id from the response that began the import. The last 100 imports of an account are kept, for 30 days.',
};

export const IMPORT_ENDED: Failure = {
  status: 409,
  name: 'import-ended',
  title: 'The import has ended already',
  error: 'This import has ended already. Undo it if its questions are not wanted.',
  fix: 'Nothing is left to cancel.',
};

export const IMPORT_UNDER_WAY: Failure = {
  status: 409,
  name: 'import-under-way',
  title: 'The import is under way',
  error: 'This import is under way. Cancel it first.',
  fix: 'Cancel it, or wait until it has ended.',
};

export const NO_IMPORT: Failure[] = [
  {
    status: 400,
    name: 'file-not-received',
    title: 'The body is not a file',
    error: EMPTY_FILE,
    fix: 'Send the raw file as the request body, uncompressed and complete. Multipart forms are not accepted.',
  },
  {
    status: 409,
    name: 'too-many-imports',
    title: 'The account has too many imports running',
    error: 'Your account already has 10 imports running. Wait until one has ended, or cancel one.',
    fix: 'Wait for one of them, or cancel it.',
  },
  {
    status: 413,
    name: 'file-too-large',
    title: 'The file is too large',
    error:
      'The file is larger than 64 MiB, the most that is taken at once. Split it, or ask the operator to import it with quizctl.',
    fix: 'Split the file, or ask the operator to import it with quizctl, which takes files of any size.',
  },
  {
    status: 415,
    name: 'unsupported-media-type',
    title: 'The Content-Type is not of a file with questions',
    error: unsupportedFile().message,
    fix: 'Export the questions from the document as text or as a table. The guide to import and export shows every format.',
  },
];
