import { DIFFICULTIES, type Difficulty } from '../catalog/vocabulary';
import { FORMAT_NAMES, type FormatName } from '../import-export/formats/formats';
import { ImportsService } from '../import-export/imports/imports.service';
import { LocalImportsService } from '../import-export/imports/local-imports.service';
import { accountIdOf, argument, command, option, required } from './command';
import { reportAsJson, reportAsText, stoppedBecause } from './import-report';
import { ProgressBar } from './output';

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
  draft?: true;
  dryRun?: true;
  strict?: true;
}

/** As for compilers and linters: errors in a file do not make the command fail, unless requested. */
const EXIT_CODES = `
Exit codes:
  0  read to the end, and imported but for the rows that the report names
  1  a file cannot be read to its end and nothing was imported; or it was stopped or cancelled on the way;
     with --strict, also when a row was left out for an error (duplicates are none)
  2  used wrongly
The report goes to the standard output: a line for each row, then the sum.`;

export const importCommand = command<Given>({
  name: 'import',
  description: 'import question files: whole quizzes, or quizzes of 50 questions by category',
  parameters: [
    argument('<files...>', 'files to read'),
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
    option('--draft', 'leave the quizzes unpublished'),
    option('--dry-run', 'read and report, and change nothing'),
    option('--strict', 'exit with 1 when a row was left out for an error'),
  ],
  help: EXIT_CODES,
  async run(services, given, output) {
    const { files, account, format, difficulty, strict } = given;
    const accountId = await accountIdOf(services, account);
    const imports = services.get(ImportsService);
    const bar = new ProgressBar(output);
    const options = {
      difficulty,
      published: given.draft !== true,
      dryRun: given.dryRun === true,
      format,
      quizId: given.quiz,
      source: given.source || undefined,
      licence: given.licence || undefined,
    };
    const view = await services
      .get(LocalImportsService)
      .import(accountId, files, options, (id, size) => {
        // A worker finishes an import in progress, unless it is cancelled.
        process.once('SIGINT', () => {
          imports.cancel(accountId, id).catch(() => process.exit(1));
        });
        return {
          onRead: (done) => bar.show(done / Math.max(size, 1), 'reading'),
          onWritten: (done, of) => bar.show(done / Math.max(of, 1), 'importing'),
        };
      })
      .finally(() => bar.stop());
    const report = await imports.report(accountId, view.id, { limit: ALL, offset: 0 }, ALL);
    output.result(reportAsJson(report), reportAsText(report, files.length));
    if (stoppedBecause(view) !== null || (strict && view.totals.errors > 0)) process.exitCode = 1;
  },
});
