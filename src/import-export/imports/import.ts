import type { Difficulty } from '../../catalog/vocabulary';
import { LIMITS } from '../../platform/limits/limits';
import type { FormatName } from '../formats/formats';

/**
 * `receiving` the file → `waiting` for a worker → `running` → `completed`; or `failed`: the file cannot be read
 * to its end, or the service failed, and nothing was imported; `stopped`: by a limit, a deleted quiz or a failure
 * of the service; `cancelled`. What a stopped or cancelled import has written stays.
 */
export const IMPORT_STATES = [
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

/** Questions of a quiz that no file has given a title: as many as one batch of the API holds. */
export const QUIZ_SIZE = 50;

/**
 * What quizzes are called that no file has given a title, by their category or the file's name: `Rivers & Lakes`,
 * and `Rivers & Lakes, part 2` where there are several.
 */
export const partTitle = (name: string | null | undefined, part?: number | '…'): string =>
  part === undefined ? (name ?? 'Questions') : `${name ?? 'Questions'}, part ${part}`;

/** How the questions of a file become quizzes. */
export interface ImportOptions {
  /** Recognised from the content when it is not given. */
  format?: FormatName;
  /** Report only. */
  dryRun: boolean;
  /** Append everything to this quiz of the account, instead of one quiz for each category (and 50 questions). */
  quizId?: string;
  /** Used for questions without one in the file. */
  difficulty: Difficulty;
  /** Of the quizzes that are made. */
  published: boolean;
  /** Used for questions without one in the file; some formats have their own. */
  source?: string;
  licence?: string;
}

/** An import with its counts. Every row of the file is an error, a duplicate, or importable. */
export interface ImportView {
  id: string;
  accountId: string;
  state: ImportState;
  dryRun: boolean;
  quizId: string | null;
  fileName: string;
  format: FormatName | null;
  /** Bytes. */
  size: number;
  options: Pick<ImportOptions, 'difficulty' | 'published' | 'source' | 'licence'>;
  /** Whether it is a preview whose questions are kept to be imported. */
  startable: boolean;
  /** Whether the file was read to its end: only then are `rows` and `importable` final. */
  checked: boolean;
  /** 0 to 1 of all work: reading is the first half, writing the second. */
  progress: number;
  rows: number;
  /** Rows that can be imported. */
  importable: number;
  duplicates: number;
  similar: number;
  errors: number;
  notes: number;
  imported: number;
  /** Quizzes made; of a preview, that would be made. */
  quizzes: number;
  /** Why it failed or stopped: a sentence with the place. */
  error: string | null;
  createdAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
}

/** In the order of a report: what left rows out comes first. */
export const REPORT_KINDS = ['error', 'duplicate', 'similar', 'note'] as const;
export type ReportKind = (typeof REPORT_KINDS)[number];

/** Remarks of each kind that are kept of an import, and their bytes; more are only counted. */
export const MOST_REPORT_ENTRIES = LIMITS.imports.reportRows.value;
export const MOST_REPORT_BYTES = LIMITS.imports.reportBytes.value;

/** How an import counts what is said of its rows. */
export const countsOf = (view: ImportView): Record<ReportKind, number> => ({
  error: view.errors,
  duplicate: view.duplicates,
  similar: view.similar,
  note: view.notes,
});

/** What is said of a row: a `error` leaves it out, a `duplicate` too; the others import it. */
export interface ReportEntry {
  kind: ReportKind;
  file: string;
  line: number;
  /** Where the line is not enough: `questions[3]`, `question 4`. */
  path: string | null;
  message: string;
}

/** What a file makes: a quiz of its own, or the quizzes of a category. */
export interface ImportGroup {
  file: string;
  title: string | null;
  category: string | null;
  /** What its quizzes are called where it has neither. */
  name: string | null;
  /** Rows that can be imported, and those that were. */
  rows: number;
  imported: number;
}

/** A quiz that an import has made or added to: its title and slug as they were then. */
export interface ImportQuiz {
  id: string;
  title: string;
  slug: string;
  /** Those that it got from the import. */
  questions: number;
  /** Whether it has been deleted since. */
  deleted: boolean;
}
