import type { Scope } from '../../access/accounts/scope.rules';
import type { Difficulty } from '../../catalog/vocabulary';
import { EXAMPLE_QUIZ } from '../../catalog/quizzes/quizzes.dto';
import { LIMITS } from '../../platform/limits/limits';
import { Example, Whole, Choice, Named } from '../../platform/openapi/fields';
import { FORMAT_NAMES, type FormatName } from '../formats/formats';
import type { Bytes, ReadOptions, TableColumn } from '../formats/row';

/** Imports as the API sends them, and as the dashboard and quizctl show them (docs/import-export.md). */

const IMPORT_STATES = [
  'receiving',
  'waiting',
  'running',
  'completed',
  'stopped',
  'failed',
  'cancelled',
] as const;
export type ImportState = (typeof IMPORT_STATES)[number];

export const isUnderWay = (state: ImportState): boolean =>
  state === 'receiving' || state === 'waiting' || state === 'running';

/** Questions per quiz if the file gives no title: as many as one batch of the API holds. */
export const QUIZ_SIZE = 50;

/** The first questions of a preview, shown as they will be. */
export const SAMPLE = 10;

/**
 * Titles of quizzes without a title in the file, by their category or the file's name: `Rivers & Lakes`, or `Rivers &
 * Lakes, part 2` if there are several.
 */
export const partTitle = (name: string | null | undefined, part?: number | '…'): string =>
  part === undefined ? (name ?? 'Questions') : `${name ?? 'Questions'}, part ${part}`;

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
export interface Upload {
  accountId: string;
  /** Its name for people; the title of quizzes for which the file names neither title nor category. */
  fileName: string;
  bytes: Bytes;
  options: ImportOptions;
}

export interface Page {
  limit: number;
  offset: number;
}

/** The rows of a page, and how many there are on all pages. */
export interface Found<Row> {
  rows: Row[];
  total: number;
}

/** In the order of a report: reasons for leaving rows out come first. */
export const REPORT_KINDS = ['error', 'duplicate', 'note'] as const;
export type ReportKind = (typeof REPORT_KINDS)[number];

/** Report entries of each kind that are kept for an import; further ones are only counted. */
export const MOST_REPORT_ENTRIES = LIMITS.imports.reportRows.value;

export const EXAMPLE_IMPORT = '019a9f3e-6c00-7000-8000-000000000050';
const TIME = '2026-11-21T12:00:00.000Z';

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
  /** Rows left out: the account or the file has the question already. @example 1 */
  @Whole() duplicates!: number;
  /** Rows left out for an error. @example 1 */
  @Whole() errors!: number;
  /** Notes about content that is not kept. @example 0 */
  @Whole() notes!: number;
}

/** An import with its counts. */
export class Import {
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
  /** Its format; null until it is recognised. @example csv */
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
  /** Why it failed or stopped. @example "rivers.csv:3: A text in quotes begins in line 3." */
  error!: string | null;
  /** When the file arrived. */
  @Example(TIME) createdAt!: Date;
  /** When a worker began. */
  @Example(TIME) startedAt!: Date | null;
  /** When it ended. */
  @Example(TIME) finishedAt!: Date | null;
}

/** An import as the service sees it. */
export interface ImportView extends Import {
  /** How the columns and flash cards are to be read; null: as the file shows. */
  read: string[] | null;
  cards: 'open' | 'choice' | null;
  /** How the columns of a table are read; null for other formats. */
  columns: TableColumn[] | null;
  /** Whether it is a preview whose questions are kept to be imported. */
  startable: boolean;
  /** Whether it is a preview whose file is kept to be read again with other options. */
  changeable: boolean;
  /** What the importable questions add to the account's, as its plan counts it. */
  contentBytes: number;
  /** Whether the file was read completely: only then are `rows` and `importable` final. */
  checked: boolean;
}

/** The name of each kind's counter. */
export const countsOf = ({ totals }: Import): Record<ReportKind, number> => ({
  error: totals.errors,
  duplicate: totals.duplicates,
  note: totals.notes,
});
