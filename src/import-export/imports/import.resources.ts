import { EXAMPLE_QUIZ } from '../../catalog/resources';
import type { Difficulty } from '../../catalog/vocabulary';
import type { Failure } from '../../platform/openapi/failures';
import {
  Choice,
  Flag,
  ListOf,
  Named,
  Part,
  Text,
  TextOrNull,
  Whole,
} from '../../platform/openapi/fields';
import { FORMAT_NAMES, type FormatName } from '../formats/formats';
import { IMPORT_STATES, REPORT_KINDS, type ImportState, type ReportKind } from './import';

/** What imports send, and how they fail (docs/import-export.md). */

export const EXAMPLE_IMPORT = '019a9f3e-6c00-7000-8000-000000000050';
const TIME = '2026-11-21T12:00:00.000Z';

export const IMPORT_ID = ['The id of the import.', EXAMPLE_IMPORT] as const;

class ImportTotals {
  @Whole('Rows of the file.', 12) rows!: number;
  @Whole('Rows that can be imported.', 10) importable!: number;
  @Whole('Questions that were imported.', 10) imported!: number;
  @Whole('Quizzes that were made; of a dry run, that would be made.', 1) quizzes!: number;
  @Whole('Rows left out: the account or the file has the question already.', 1) duplicates!: number;
  @Whole('Rows much like another question. They are imported.', 0) similar!: number;
  @Whole('Rows left out for an error.', 1) errors!: number;
  @Whole('What the file has and a question here has not.', 0) notes!: number;
}

/** An import with its counts. */
export class Import {
  @Text('Its id.', EXAMPLE_IMPORT) id!: string;
  @Choice(
    '`receiving`, `waiting` and `running`: it is under way. `completed`. `failed`: the file cannot be read to its end, or the service failed, and nothing was imported. `stopped`: by a limit of your plan, a deleted quiz or a failure of the service; `cancelled`. What a stopped or cancelled import has written stays.',
    IMPORT_STATES,
    { example: 'completed' },
  )
  state!: ImportState;
  @Flag('Whether it only reports.', false) dryRun!: boolean;
  @Text('As the file was called.', 'rivers.csv') filename!: string;
  @Choice('Its format; null until it is recognised.', FORMAT_NAMES, {
    nullable: true,
    example: 'csv',
  })
  format!: FormatName | null;
  @Whole('Bytes of the file.', 2048) size!: number;
  @TextOrNull('The quiz that takes all questions; null: new quizzes.', EXAMPLE_QUIZ)
  quizId!: string | null;
  @Named('Difficulty') difficulty!: Difficulty;
  @Flag('Whether new quizzes are published.', false) published!: boolean;
  @TextOrNull('The source of questions without one in the file.', 'Our own')
  source!: string | null;
  @TextOrNull('Their licence.', 'CC BY-SA 4.0') licence!: string | null;
  @Whole('Percent of all work.', 100, { minimum: 0, maximum: 100 }) progress!: number;
  @Part(ImportTotals) totals!: ImportTotals;
  @TextOrNull('Why it failed or stopped.', 'rivers.csv:3: A text in quotes begins in line 3.')
  error!: string | null;
  @Text('When the file came.', TIME) createdAt!: string;
  @TextOrNull('When a worker began.', TIME) startedAt!: string | null;
  @TextOrNull('When it ended.', TIME) finishedAt!: string | null;
}

class ImportGroup {
  @TextOrNull('The title of a whole quiz.', 'Rivers of Europe') title!: string | null;
  @TextOrNull('Its category.', 'Rivers & Lakes') category!: string | null;
  @Whole('Rows that can be imported.', 10) rows!: number;
  @Whole('Those that were, into new quizzes.', 10) imported!: number;
}

/** A quiz that an import has made or added to. */
export class ImportQuiz {
  @Text('The id of the quiz.', EXAMPLE_QUIZ) id!: string;
  @Text('Its title, as it was then.', 'Rivers & Lakes, part 1') title!: string;
  @Text('Its slug.', 'rivers-lakes-part-1') slug!: string;
  @Whole('Questions that it got from this import.', 10) questions!: number;
  @Flag('Whether it has been deleted since.', false) deleted!: boolean;
}

class ImportReportEntry {
  @Choice('`error` and `duplicate` leave the row out; `similar` and `note` do not.', REPORT_KINDS)
  kind!: ReportKind;
  @Text('The file; quizctl imports several at once.', 'rivers.csv') file!: string;
  @Whole('Where the row begins, from 1.', 7) line!: number;
  @TextOrNull('Where the line is not enough.', 'questions[3]') path!: string | null;
  @Text('What is wrong and how to correct it.', 'No answer is marked as correct: mark one.')
  message!: string;
}

/** An import with its report. */
export class ImportDetail extends Import {
  @ListOf(ImportGroup, 'What the file makes: quizzes with a title, or categories. The first 50.')
  groups!: ImportGroup[];
  @ListOf(
    ImportQuiz,
    'The quizzes that the import has made, or the one that it was appended to, in the order of the file. The first 50; `GET /imports/{id}/quizzes` lists all.',
  )
  quizzes!: ImportQuiz[];
  @ListOf(
    ImportReportEntry,
    'What is said of rows, this page of it: errors, then duplicates, similar questions and notes, each in the order of the file. At most 1,000 of each (and 128 KiB) are kept; `totals` counts all.',
  )
  report!: ImportReportEntry[];
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
  error: 'This import has ended already. Delete its quizzes if they are not wanted.',
  fix: 'Nothing is left to cancel.',
};

export const NO_IMPORT: Failure[] = [
  {
    status: 400,
    name: 'file-not-received',
    title: 'The body is no file',
    error: 'The file is empty. Send the questions as the body.',
    fix: 'Send the raw file as the request body, uncompressed and complete. Multipart forms are not accepted.',
  },
  {
    status: 409,
    name: 'too-many-imports',
    title: 'Too many imports of the account are under way',
    error: '10 imports of your account are under way. Wait until one has ended, or cancel one.',
    fix: 'Wait for one of them, or cancel it.',
  },
  {
    status: 413,
    name: 'file-too-large',
    title: 'The file is too large',
    error:
      'The file is larger than 64 MiB, the most that is taken at once. Split it, or import it with quizctl.',
    fix: 'Split the file. The limit is a setting of the deployment.',
  },
];
