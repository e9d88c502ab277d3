import { Command, Option } from 'commander';
import { SingleBar } from 'cli-progress';
import { AccountsService } from '../access/accounts.service';
import { DIFFICULTIES, type Difficulty } from '../catalog/vocabulary';
import { ImportService, type ImportReport } from '../exchange/import.service';
import type { Output } from './output';
import { withServices } from './services';

interface Options {
  account: string;
  format: 'opentriviaqa';
  difficulty: Difficulty;
  draft?: true;
  dryRun?: true;
}

export function importCommand(output: Output): Command {
  return new Command('import')
    .description('import question files: quizzes of 50 questions, one category for each file')
    .argument('<files...>', 'files to read')
    .addOption(
      new Option('--format <format>', 'format of the files')
        .choices(['opentriviaqa'])
        .makeOptionMandatory(),
    )
    .requiredOption('--account <account>', 'owner of the quizzes: e-mail address or id')
    .addOption(
      new Option('--difficulty <difficulty>', 'for formats that have none')
        .choices(DIFFICULTIES)
        .default('MEDIUM'),
    )
    .option('--draft', 'leave the quizzes unpublished')
    .option('--dry-run', 'read and report, and change nothing')
    .action((files: string[], options: Options) =>
      withServices(output, async (services) => {
        const { id } = await services.get(AccountsService).get(options.account);
        const bar = new Progress(output);
        const report = await services.get(ImportService).import(
          id,
          files,
          {
            difficulty: options.difficulty,
            published: options.draft !== true,
            dryRun: options.dryRun === true,
          },
          { onProgress: (done, total, file) => bar.show(done, total, file) },
        );
        bar.stop();
        for (const { file, line, reason } of report.skipped)
          output.note(`${file}:${line}: ${reason}`);
        output.result(report, summary(report));
        if (report.stopped) process.exitCode = 1;
      }),
    );
}

/** A bar on a terminal; silence elsewhere. */
class Progress {
  private bar: SingleBar | undefined;

  constructor(private readonly output: Output) {}

  show(done: number, total: number, file: string): void {
    if (this.output.json || !process.stderr.isTTY) return;
    if (!this.bar) {
      this.bar = new SingleBar({
        format: '{bar} {percentage}% | {value}/{total} questions | {file}',
        stream: process.stderr,
        barCompleteChar: '█',
        barIncompleteChar: '░',
        hideCursor: true,
        clearOnComplete: true,
      });
      this.bar.start(total, 0, { file });
    }
    this.bar.update(done, { file });
  }

  stop(): void {
    this.bar?.stop();
  }
}

function summary(report: ImportReport): string {
  const { dryRun, imported, quizzes, duplicates, skipped, stopped } = report;
  const count = (n: number, one: string, many = `${one}s`) =>
    `${n.toLocaleString('en')} ${n === 1 ? one : many}`;
  return [
    `${dryRun ? 'Would import' : 'Imported'} ${count(imported, 'question')} in ${count(quizzes, 'quiz', 'quizzes')} from ${count(report.files.length, 'file')}.`,
    duplicates > 0 &&
      `${count(duplicates, 'question')} skipped that the account has already, or that came twice.`,
    skipped.length > 0 && `${count(skipped.length, 'row')} skipped for faults, listed above.`,
    stopped && `Stopped early: ${stopped}`,
  ]
    .filter(Boolean)
    .join('\n');
}
