import { DIFFICULTY, EXAMPLE_QUIZ } from '../catalog/catalog.schemas';
import {
  choice,
  flag,
  integer,
  listOf,
  named,
  object,
  orNull,
  text,
  type Schema,
} from '../platform/openapi/schema';
import { FORMAT_NAMES } from './formats/formats';
import { IMPORT_STATES, REMARK_KINDS } from './imports/import';

/** What the reference shows of imports. */

export const IMPORT_ID = '019a9f3e-6c00-7000-8000-000000000050';
const TIME = '2026-11-21T12:00:00.000Z';

const IMPORT_FIELDS: Record<string, Schema> = {
  id: text('Its id.', IMPORT_ID),
  state: choice(
    '`receiving`, `waiting` and `running`: it is under way. `completed`. `failed`: the file cannot be read to its end, or the service failed, and nothing was imported. `stopped`: by a limit of your plan, a deleted quiz or a failure of the service; `cancelled`. What a stopped or cancelled import has written stays.',
    IMPORT_STATES,
    'completed',
  ),
  dryRun: flag('Whether it only reports.', false),
  filename: text('As the file was called.', 'rivers.csv'),
  format: orNull(choice('Its format; null until it is recognised.', FORMAT_NAMES, 'csv')),
  size: integer('Bytes of the file.', 2048),
  quizId: orNull(text('The quiz that takes all questions; null: new quizzes.', EXAMPLE_QUIZ)),
  difficulty: DIFFICULTY,
  published: flag('Whether new quizzes are published.', false),
  source: orNull(text('Where questions are from whose file does not tell.', 'Our own')),
  licence: orNull(text('Their licence.', 'CC BY-SA 4.0')),
  progress: integer('Percent of all work.', 100, { minimum: 0, maximum: 100 }),
  totals: object({
    rows: integer('Rows of the file.', 12),
    importable: integer('Rows that can be imported.', 10),
    imported: integer('Questions that were imported.', 10),
    quizzes: integer('Quizzes that were made; of a dry run, that would be made.', 1),
    duplicates: integer('Rows left out: the account or the file has the question already.', 1),
    similar: integer('Rows much like another question. They are imported.', 0),
    faults: integer('Rows left out for a fault.', 1),
    notes: integer('What the file has and a question here has not.', 0),
  }),
  error: orNull(
    text('Why it failed or stopped.', 'rivers.csv:3: A text in quotes begins in line 3.'),
  ),
  createdAt: text('When the file came.', TIME),
  startedAt: orNull(text('When a worker began.', TIME)),
  finishedAt: orNull(text('When it ended.', TIME)),
};
/** An import with its counts. */
export const IMPORT = named('Import', object(IMPORT_FIELDS));

/** A quiz that an import has made or added to. */
export const IMPORT_QUIZ = named(
  'ImportQuiz',
  object({
    id: text('The id of the quiz.', EXAMPLE_QUIZ),
    title: text('Its title, as it was then.', 'Rivers & Lakes, part 1'),
    slug: text('Its slug.', 'rivers-lakes-part-1'),
    questions: integer('Questions that it got from this import.', 10),
    deleted: flag('Whether it has been deleted since.', false),
  }),
);

/** An import with its report. */
export const IMPORT_DETAIL = named(
  'ImportDetail',
  object({
    ...IMPORT_FIELDS,
    parts: listOf(
      'What the file makes: quizzes with a title, or categories. The first 50.',
      object({
        title: orNull(text('The title of a whole quiz.', 'Rivers of Europe')),
        category: orNull(text('Its category.', 'Rivers & Lakes')),
        rows: integer('Rows that can be imported.', 10),
        imported: integer('Those that were, into new quizzes.', 10),
      }),
    ),
    quizzes: listOf(
      'The quizzes that the import has made, or the one that it was appended to, in the order of the file. The first 50; `GET /imports/{id}/quizzes` lists all.',
      IMPORT_QUIZ,
    ),
    report: listOf(
      'What is said of rows, this page of it: faults, then duplicates, similar questions and notes, each in the order of the file. At most 1,000 of each (and 128 KiB) are kept; `totals` counts all.',
      object({
        kind: choice(
          '`fault` and `duplicate` leave the row out; `similar` and `note` do not.',
          REMARK_KINDS,
        ),
        file: text('The file; quizctl imports several at once.', 'rivers.csv'),
        line: integer('Where the row begins, from 1.', 7),
        path: orNull(text('Where the line is not enough.', 'questions[3]')),
        message: text(
          'What is wrong and how to mend it.',
          'No answer is marked as correct: mark one.',
        ),
      }),
    ),
  }),
);
