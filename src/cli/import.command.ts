import { Command, Option } from 'commander';
import { AccountsService } from '../access/accounts/accounts.service';
import { DIFFICULTIES, type Difficulty } from '../catalog/vocabulary';
import { FORMAT_NAMES, type FormatName } from '../import-export/formats/formats';
import { ImportsService } from '../import-export/imports/imports.service';
import { LocalImportsService } from '../import-export/imports/local-imports.service';
import { reportAsJson, reportAsText, stoppedBecause } from './import-report';
import { ProgressBar, type Output } from './output';
import { withServices } from './services';

/** A report lists every entry that was kept. */
const ALL = Number.MAX_SAFE_INTEGER;

interface Options {
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

export function importCommand(output: Output): Command {
  return new Command('import')
    .description('import question files: whole quizzes, or quizzes of 50 questions by category')
    .argument('<files...>', 'files to read')
    .addOption(
      new Option(
        '--format <format>',
        'format of the files; without it, recognised from the content of each, or the ending of its name',
      ).choices(FORMAT_NAMES),
    )
    .requiredOption('--account <account>', 'owner of the quizzes: e-mail address or id')
    .option('--quiz <quiz-id>', 'append all questions to this quiz of the account')
    .addOption(
      new Option('--difficulty <difficulty>', 'of questions without one in the file')
        .choices(DIFFICULTIES)
        .default('MEDIUM'),
    )
    .option('--source <text>', 'the source of questions without one in the file')
    .option('--licence <text>', 'the licence of questions without one in the file')
    .option('--draft', 'leave the quizzes unpublished')
    .option('--dry-run', 'read and report, and change nothing')
    .option('--strict', 'exit with 1 when a row was left out for an error')
    .addHelpText('after', EXIT_CODES)
    .action((files: string[], options: Options) =>
      withServices(output, async (services) => {
        const { id: accountId } = await services.get(AccountsService).get(options.account);
        const { format, difficulty, quiz, source, licence, draft, dryRun, strict } = options;
        const imports = services.get(ImportsService);
        const bar = new ProgressBar(output);
        const view = await services
          .get(LocalImportsService)
          .import(
            accountId,
            files,
            {
              difficulty,
              published: draft !== true,
              dryRun: dryRun === true,
              format,
              quizId: quiz,
              source: source || undefined,
              licence: licence || undefined,
            },
            (id, size) => {
              // A worker finishes an import in progress, unless it is cancelled.
              process.once('SIGINT', () => {
                imports.cancel(accountId, id).catch(() => process.exit(1));
              });
              return {
                onRead: (done) => bar.show(done / Math.max(size, 1), 'reading'),
                onWritten: (done, of) => bar.show(done / Math.max(of, 1), 'importing'),
              };
            },
          )
          .finally(() => bar.stop());
        const report = await imports.report(accountId, view.id, { limit: ALL, offset: 0 }, ALL);
        output.result(reportAsJson(report), reportAsText(report, files.length));
        if (stoppedBecause(view) !== null || (strict && view.totals.errors > 0))
          process.exitCode = 1;
      }),
    );
}
