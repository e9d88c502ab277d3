import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { OPERATOR } from '../access/audit/actor';
import { DIFFICULTIES, type Difficulty } from '../catalog/vocabulary';
import {
  EXPORT_NAMES,
  type ExportName,
  exportOf,
  FORMAT_NAMES,
  type FormatName,
} from '../import-export/formats/formats';
import { readColumns } from '../import-export/formats/question-fields';
import { QUIZ_SIZE } from '../import-export/imports/import.rules';
import { LIMITS } from '../platform/limits/limits';
import { writeWhole } from '../platform/whole-file';
import { accountIdOf, argument, command, integer, option, required } from './command';
import { count, reportAsJson, reportAsText, stoppedBecause } from './import-report';
import { type Output, plain, ProgressBar } from './output';
import type { Services } from './services';

/** A report lists every entry that was kept. */
const ALL = Number.MAX_SAFE_INTEGER;

interface Given {
  files: string[];
  account: string;
  format?: FormatName;
  difficulty: Difficulty;
  quiz?: string;
  source?: string;
  licence?: string;
  title?: string;
  category?: string;
  quizSize: number;
  columns?: string;
  cards?: 'open' | 'choice';
  draft?: true;
  dryRun?: true;
  strict?: true;
}

/** As for compilers and linters: errors in a file do not make the command fail, unless requested. */
const EXIT_CODES = `
Exit codes:
  0  imported, except for the rows in the report
  1  a file could not be read and nothing was imported, or the import was stopped or cancelled, or the account,
     the quiz or a column does not exist; with --strict also if a row had an error (duplicates are not errors)
  2  invalid usage
The report goes to the standard output: a line for each error, duplicate and note, then a summary.`;

export const importCommand = command<Given>({
  name: 'import',
  description: `import question files: whole quizzes, or quizzes of ${QUIZ_SIZE} questions by category`,
  parameters: [
    argument(
      '<files...>',
      'files to read, or folders of question files and the pictures that they show',
    ),
    option(
      '--format <format>',
      'format of the files; without it, recognised from the content of each, or the ending of its name',
      FORMAT_NAMES,
    ),
    required('--account <account>', 'owner of the quizzes: e-mail address or id'),
    option('--quiz <quiz-id>', 'append all questions to this quiz of the account'),
    option(
      '--difficulty <difficulty>',
      'of questions without one in the file',
      DIFFICULTIES,
    ).default('MEDIUM'),
    option('--source <text>', 'the source of questions without one in the file'),
    option('--licence <text>', 'the licence of questions without one in the file'),
    option('--title <title>', 'title of the new quizzes, instead of those of the file'),
    option('--category <name>', 'their category'),
    option('--quiz-size <n>', 'questions in each new quiz without a title in the file')
      .argParser(integer(1, LIMITS.content.questionsPerQuiz.value))
      .default(QUIZ_SIZE),
    option('--columns <names>', 'of a table: what its columns are, such as question,answer_1,-'),
    option('--cards <kind>', 'flash cards: typed answers, or a choice', ['open', 'choice']),
    option('--draft', 'leave the quizzes unpublished'),
    option('--dry-run', 'read and report, and change nothing'),
    option('--strict', 'exit with 1 when a row was not imported because of an error'),
  ],
  help: EXIT_CODES,
  async run(services, given, output) {
    const { files, account, format, difficulty, strict } = given;
    const accountId = await accountIdOf(services, account);
    const imports = services.imports;
    const bar = new ProgressBar(output);
    let filesRead = files.length;
    const options = {
      difficulty,
      published: given.draft !== true,
      dryRun: given.dryRun === true,
      format,
      quizId: given.quiz,
      source: given.source || undefined,
      licence: given.licence || undefined,
      title: given.title || undefined,
      category: given.category || undefined,
      quizSize: given.quizSize,
      columns: given.columns ? readColumns(given.columns) : undefined,
      cards: given.cards,
    };
    let cancel = () => {};
    const view = await services.localImports
      .import(accountId, files, options, (id, size, number) => {
        filesRead = number;
        // A worker finishes an import in progress, unless it is cancelled.
        cancel = () => void imports.cancel(accountId, id).catch(() => process.exit(1));
        process.once('SIGINT', cancel);
        return {
          onRead: (done) => bar.show(done / Math.max(size, 1), 'reading'),
          onWritten: (done, of) => bar.show(done / Math.max(of, 1), 'importing'),
        };
      })
      .finally(() => {
        process.off('SIGINT', cancel);
        bar.stop();
      });
    const report = await imports.report(accountId, view.id, { limit: ALL, offset: 0 }, ALL);
    output.result(reportAsJson(report), reportAsText(report, filesRead));
    if (stoppedBecause(view) !== null || (strict && view.totals.errors > 0)) output.exitCode = 1;
  },
});

export const undoImportCommand = command<{ id: string; account: string }>({
  name: 'undo-import',
  description: 'delete the quizzes that an import created, or the questions that it added to one',
  parameters: [
    argument('<id>', 'id of the import, as its report names it'),
    required('--account <account>', 'its owner: e-mail address or id'),
  ],
  async run(services, { id, account }, output) {
    const accountId = await accountIdOf(services, account);
    // The operator does it for the account.
    const actor = { accountId, email: OPERATOR.email };
    const deleted = { quizzes: 0, questions: 0, more: true };
    while (deleted.more) {
      const { quizzes, questions, more } = await services.importUndo.undo(actor, id);
      deleted.quizzes += quizzes;
      deleted.questions += questions;
      deleted.more = more;
    }
    const quizzes = count(deleted.quizzes, 'quiz', 'quizzes');
    output.result(deleted, `Deleted ${quizzes} and ${count(deleted.questions, 'question')}.`);
  },
});

interface Exported {
  'quiz-id'?: string;
  format?: ExportName;
  account?: string;
  all?: true;
  output?: string;
}

export const exportCommand = command<Exported>({
  name: 'export',
  description:
    'write a quiz with its questions and answers, whoever owns it; or everything of an account, or of all, as ZIP archives',
  parameters: [
    argument('[quiz-id]', 'id of the quiz'),
    option('--format <format>', 'format of a quiz’s file', EXPORT_NAMES),
    option('--account <account>', 'everything of this account: e-mail address or id'),
    option('--all', 'everything of every account: an archive for each, into the folder --output'),
    option(
      '--output <file>',
      'file to write, or with --all the folder; without it a quiz is printed',
    ),
  ],
  check({ 'quiz-id': quizId, format, account, all, output }) {
    const named = [quizId, account, all].filter((it) => it !== undefined).length;
    if (named !== 1) return 'name a quiz, or give either --account or --all';
    if (quizId === undefined) return output === undefined ? 'archives need --output' : null;
    if (!format) return "required option '--format <format>' not specified";
    const { isZip, title } = exportOf(format);
    return isZip && output === undefined ? `${title} is no text: give --output` : null;
  },
  async run(services, given, output) {
    const { 'quiz-id': quizId, account, output: to = '' } = given;
    if (quizId !== undefined) return exportQuiz(services, quizId, given, output);
    if (account !== undefined) {
      const accountId = await accountIdOf(services, account);
      await writeWhole(to, services.exports.account(accountId), 0o600);
      return output.result({ accountId, file: to }, `Wrote everything of ${account} to ${to}.`);
    }
    const files = await services.exports.everything(to);
    output.result(files, `Wrote ${files.length} archives into ${to}.`);
  },
});

async function exportQuiz(
  services: Services,
  quizId: string,
  { format = 'json', output: file }: Exported,
  output: Output,
): Promise<void> {
  const { quiz, content } = await services.exports.any(quizId, format);
  const about = { quizId, format, questions: quiz.questions.length };
  if (file === undefined) {
    const written = await text(Readable.from(content));
    // The result ends with its own line break.
    output.result({ ...about, content: written }, written.replace(/\n$/, ''));
    return;
  }
  await writeWhole(file, content);
  output.result({ ...about, file }, `Wrote "${plain(quiz.title)}" to ${file}.`);
}
