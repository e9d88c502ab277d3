import { QUIZ_IN_PATH, QUIZ_NOT_FOUND } from '../catalog/catalog.openapi';
import { EXAMPLE_QUIZ } from '../catalog/catalog.schemas';
import { OWNED_QUIZ } from '../authoring/authoring.openapi';
import { queryOf } from '../platform/openapi/class-fields';
import type { Failure, Operation } from '../platform/openapi/operation';
import { integer, listOf, object, success } from '../platform/openapi/schema';
import { ExportQuery } from './export.query';
import { IMPORT, IMPORT_DETAIL, IMPORT_ID, IMPORT_QUIZ } from './import-export.schemas';
import { FORMAT_NAMES, formatOf, WRITABLE_FORMATS } from './formats/formats';
import { CreateImportQuery, PageQuery, ReportQuery } from './imports/imports.query';

/** What the reference says of question files (docs/import-export.md). */

const IMPORT_IN_PATH = { id: { description: 'The id of the import.', example: IMPORT_ID } };
const PAGE_META = object({
  total: integer('On all pages together.', 1),
  limit: integer('As asked for.', 10),
  offset: integer('As asked for.', 0),
});
const page = queryOf(PageQuery, {
  limit: { description: 'How many to send.', examples: [10] },
  offset: { description: 'How many to skip.', examples: [0] },
});

const reportPage = queryOf(ReportQuery, {
  limit: { description: 'How many rows of the report to send.', examples: [10] },
  offset: { description: 'How many to skip.', examples: [0] },
  kind: { description: 'Only these rows of the report; without it all, the faults first.' },
});

const IMPORT_NOT_FOUND: Failure = {
  status: 404,
  name: 'import-not-found',
  title: 'Your account has no such import',
  error: 'Import not found.',
  fix: 'Take the id from the response that began the import. The last 100 imports of an account are kept, for 30 days.',
};

export const CREATE_IMPORT: Operation = {
  id: 'createImport',
  tag: 'Files',
  summary: 'Import a file of questions',
  description:
    'The body is the file, for example `curl --data-binary @rivers.csv`. It is read in the background: the answer says where to look. A file that cannot be read to its end imports nothing. Needs a Starter or Pro plan; the plan’s limits hold.',
  query: queryOf(CreateImportQuery, {
    format: {
      description:
        'The format; without it by `Content-Type`, else by the content, else by the ending of `filename`.',
    },
    filename: {
      description:
        'The name of the file: the title of quizzes for which the file names neither title nor category.',
      examples: ['rivers.csv'],
    },
    dry_run: { description: '`true`: the same report, and nothing is changed.' },
    quiz_id: {
      description:
        'A quiz of your own that all questions are appended to. Without it, new quizzes: those of the file, or for each category quizzes of 50 questions.',
      examples: [EXAMPLE_QUIZ],
    },
    difficulty: { description: 'Of questions whose file does not tell.' },
    published: { description: 'Whether new quizzes are published.' },
    source: {
      description: 'Where questions are from whose file does not tell.',
      examples: ['Our own'],
    },
    licence: { description: 'Their licence.', examples: ['CC BY-SA 4.0'] },
  }),
  bodies: Object.fromEntries(
    [
      ...new Set(FORMAT_NAMES.flatMap((name) => formatOf(name).mediaTypes)),
      'text/plain',
      'application/octet-stream',
    ].map((type) => [type, { schema: { type: 'string', description: 'The file.' } }]),
  ),
  answer: {
    description: 'The import, which has yet to be done.',
    schema: success(IMPORT),
    headers: {
      Location: {
        description: 'The address of the import.',
        schema: { type: 'string', examples: [`/api/v1/imports/${IMPORT_ID}`] },
      },
    },
  },
  failures: [
    ...(OWNED_QUIZ.failures ?? []),
    {
      status: 400,
      name: 'file-not-received',
      title: 'The body is no file',
      error: 'The file is empty. Send the questions as the body.',
      fix: 'Send the bytes of the file as the body: no form, not packed, to its end.',
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
  ],
};

export const LIST_IMPORTS: Operation = {
  id: 'listImports',
  tag: 'Files',
  summary: 'List your imports',
  description: 'Newest first, dry runs too.',
  query: page,
  answer: {
    description: 'A page of imports.',
    schema: success(listOf('The imports of this page.', IMPORT), PAGE_META),
  },
};

export const GET_IMPORT: Operation = {
  id: 'getImport',
  tag: 'Files',
  summary: 'Get an import with its report',
  description:
    '`limit`, `offset` and `kind` are of the report, and `meta.total` counts what they page through.',
  path: IMPORT_IN_PATH,
  query: reportPage,
  answer: { description: 'The import.', schema: success(IMPORT_DETAIL, PAGE_META) },
  failures: [IMPORT_NOT_FOUND],
};

export const LIST_IMPORT_QUIZZES: Operation = {
  id: 'listImportQuizzes',
  tag: 'Files',
  summary: 'List the quizzes that an import has made',
  description:
    'In the order of the file; with `quiz_id` the one quiz that it was appended to. A dry run has made none. A quiz that was deleted since is still named.',
  path: IMPORT_IN_PATH,
  query: page,
  answer: {
    description: 'A page of quizzes.',
    schema: success(listOf('The quizzes of this page.', IMPORT_QUIZ), PAGE_META),
  },
  failures: [IMPORT_NOT_FOUND],
};

export const CANCEL_IMPORT: Operation = {
  id: 'cancelImport',
  tag: 'Files',
  summary: 'Cancel an import',
  description: 'Ends an import that is under way. Questions that it has imported stay.',
  path: IMPORT_IN_PATH,
  answer: { description: 'The import.', schema: success(IMPORT) },
  failures: [
    IMPORT_NOT_FOUND,
    {
      status: 409,
      name: 'import-ended',
      title: 'The import has ended already',
      error: 'This import has ended already. Delete its quizzes if they are not wanted.',
      fix: 'Nothing is left to cancel.',
    },
  ],
};

const [EXPORT_TYPE = '', ...OTHER_TYPES] = WRITABLE_FORMATS.map(
  (name) => formatOf(name).mediaTypes[0],
);
const FILE = { type: 'string', description: 'The quiz as a file.' };

export const EXPORT_QUIZ: Operation = {
  id: 'exportQuiz',
  tag: 'Files',
  summary: 'Get a quiz as a file',
  description:
    'A quiz with its questions, answers, and where they are from. Imported again it is equal. The JSON has the form of a quiz with `questions` as a batch import takes them.',
  path: QUIZ_IN_PATH,
  query: queryOf(ExportQuery, {
    format: {
      description:
        'The format of the file. CSV holds questions of at most 488 answers: more are a 400.',
    },
  }),
  untagged: true,
  answer: {
    description: 'The file.',
    type: EXPORT_TYPE,
    schema: object({}, { description: 'A whole quiz, as `POST /imports` takes it.' }),
    otherTypes: Object.fromEntries(OTHER_TYPES.map((type) => [type, FILE])),
    headers: {
      'Content-Disposition': {
        description: 'A name for the file.',
        schema: { type: 'string', examples: ['attachment; filename="rivers-of-europe.csv"'] },
      },
    },
  },
  failures: [QUIZ_NOT_FOUND],
};
