import { EXAMPLE_QUIZ } from '../../catalog/resources';
import type { Difficulty, QuestionType } from '../../catalog/vocabulary';
import {
  Choice,
  Flag,
  ListOf,
  Named,
  Text,
  TextOrNull,
  Whole,
} from '../../platform/openapi/fields';
import { Import, REPORT_KINDS, type Found, type ImportView, type ReportKind } from './import';

/** What the API sends about an import besides its counts: its preview, its report, and what it made. */

/** What was taken back of an import. */
export class Deleted {
  @Whole('Quizzes that were deleted.', 23) quizzes!: number;
  @Whole('Questions that were deleted, with or without their quiz.', 1150) questions!: number;
  @Flag('Whether more is left: then the status is 202, and the request is repeated.', false)
  more!: boolean;
}

class ImportColumn {
  @Text('The name in the header, or `Column 1` without one.', 'Question') name!: string;
  @Text('Its first value.', 'Which river flows through Vienna?') sample!: string;
  @TextOrNull(
    'What it is read as, as in the parameter `columns`; null: it is left out.',
    'question',
  )
  field!: string | null;
}

class SampleAnswer {
  @Text('The answer.', 'The Danube') text!: string;
  @Flag('Whether it is correct.', true) isCorrect!: boolean;
}

/** A group of the file's rows: a quiz of its own, or the quizzes of a category. */
export class ImportGroup {
  @Text('The file; quizctl imports several at once.', 'rivers.csv') file!: string;
  @TextOrNull('The title of a whole quiz.', 'Rivers of Europe') title!: string | null;
  @TextOrNull('The category of the quiz; null if it has none.', 'Rivers & Lakes') category!:
    string | null;
  @TextOrNull('The name from which quizzes without either get their title.', null) name!:
    string | null;
  @Whole('Rows that can be imported.', 10) rows!: number;
  @Whole('Those that were, into new quizzes.', 10) imported!: number;
}

/** A quiz that an import has created or added to. */
export class ImportQuiz {
  @Text('The id of the quiz.', EXAMPLE_QUIZ) id!: string;
  @Text('Its title, as it was then.', 'Rivers & Lakes, part 1') title!: string;
  @Text('The slug of the quiz, as in `/play/{slug}`.', 'rivers-lakes-part-1') slug!: string;
  @Whole('Questions that it got from this import.', 10) questions!: number;
  @Flag('Whether it has been deleted since.', false) deleted!: boolean;
}

/** A question of a preview as it will be. */
export class SampleQuestion {
  @Text('The question.', 'Which river flows through Vienna?') text!: string;
  @Named('QuestionType') type!: QuestionType;
  @Named('Difficulty') difficulty!: Difficulty;
  @TextOrNull('The explanation.', null) explanation!: string | null;
  @ListOf(SampleAnswer, 'The answers of the question, in the order of the file.')
  answers!: SampleAnswer[];
}

export class ImportReportEntry {
  @Choice('`error` and `duplicate` leave the row out; `note` does not.', REPORT_KINDS)
  kind!: ReportKind;
  @Text('The file; quizctl imports several at once.', 'rivers.csv') file!: string;
  @Whole('Where the row begins, from 1.', 7) line!: number;
  @TextOrNull('The location within the line, if the line is not enough.', 'questions[3]') path!:
    string | null;
  @Text('What is wrong and how to fix it.', 'No answer is marked as correct: mark one.')
  message!: string;
}

/** An import with its report. */
export class ImportDetail extends Import {
  @TextOrNull(
    'Of a dry run: why the import would be refused, and what to do. null: it fits into your plan.',
    'The file makes 28 quizzes, and your Starter plan has room for 23 more.',
  )
  problem!: string | null;
  @ListOf(
    ImportColumn,
    'Of a table (CSV, XLSX): its columns, and what each is read as. Otherwise empty.',
  )
  columns!: ImportColumn[];
  @ListOf(SampleQuestion, 'Of a dry run: the first ten questions as they will be.')
  questions!: SampleQuestion[];
  @ListOf(ImportGroup, 'What the file makes: quizzes with a title, or categories. The first 50.')
  groups!: ImportGroup[];
  @ListOf(
    ImportQuiz,
    'The quizzes that the import has created, or the one that it was appended to, in the order of the file. The first 50; `GET /imports/{id}/quizzes` lists all.',
  )
  quizzes!: ImportQuiz[];
  @ListOf(
    ImportReportEntry,
    'This page of the report: errors, then duplicates and notes, each in the order of the file. At most 1,000 of each (and 128 KiB) are kept; `totals` counts all.',
  )
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
