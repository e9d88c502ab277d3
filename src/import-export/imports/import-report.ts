import { EXAMPLE_QUIZ } from '../../catalog/quizzes/quizzes.dto';
import type { Difficulty, QuestionType } from '../../catalog/vocabulary';
import { Example, Whole, Choice, Named } from '../../platform/openapi/fields';
import { Import, REPORT_KINDS, type Found, type ImportView, type ReportKind } from './import';

/** What the API sends about an import besides its counts: its preview, its report, and what it made. */

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
  /** What it is read as, as in the parameter `columns`; null: it is left out. @example question */
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
  /** Its title, as it was then. @example "Rivers & Lakes, part 1" */
  title!: string;
  /** The slug of the quiz, as in `/play/{slug}`. @example rivers-lakes-part-1 */
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
  /** The explanation. */
  @Example(null) explanation!: string | null;
  /** The answers of the question, in the order of the file. */
  answers!: SampleAnswer[];
}

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
export class ImportDetail extends Import {
  /**
   * Of a dry run: why the import would be refused, and what to do. null: it fits into your plan.
   * @example "The file makes 28 quizzes, and your Starter plan has room for 23 more."
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

/** An import, a page of its report, and the first of its groups and of the quizzes that it has created. */
export interface ImportReport {
  view: ImportView;
  /** Why the preview cannot be imported as a whole; null: it can. */
  problem: string | null;
  sample: SampleQuestion[];
  entries: Found<ImportReportEntry>;
  groups: ImportGroup[];
  quizzes: Found<ImportQuiz>;
}
