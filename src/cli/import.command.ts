import { Command, Option } from 'commander';
import { SingleBar } from 'cli-progress';
import { AccountsService } from '../access/accounts.service';
import { DIFFICULTIES, type Difficulty } from '../catalog/vocabulary';
import { FORMAT_NAMES, type FormatName } from '../exchange/formats/formats';
import { ImportService, type ImportReport } from '../exchange/import.service';
import type { RowReport } from '../exchange/question-files';
import type { Output } from './output';
import { withServices } from './services';

interface Options {
  account: string;
  format?: FormatName;
  difficulty: Difficulty;
  draft?: true;
  dryRun?: true;
}

export function importCommand(output: Output): Command {
  return new Command('import')
    .description('import question files: whole quizzes, or quizzes of 50 questions by category')
    .argument('<files...>', 'files to read')
    .addOption(
      new Option(
        '--format <format>',
        'format of the files; without it, recognised from the content of each',
      ).choices(FORMAT_NAMES),
    )
    .requiredOption('--account <account>', 'owner of the quizzes: e-mail address or id')
    .addOption(
      new Option('--difficulty <difficulty>', 'of questions whose file does not tell')
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
            format: options.format,
            difficulty: options.difficulty,
            published: options.draft !== true,
            dryRun: options.dryRun === true,
          },
          { onProgress: (done, total, file) => bar.show(done, total, file) },
        );
        bar.stop();
        for (const row of report.skipped) output.note(said(row));
        for (const row of report.notes) output.note(said(row, 'note: '));
        output.result(report, summary(report));
        if (report.stopped) process.exitCode = 1;
      }),
    );
}

/** `questions.csv:7: …`, as editors and compilers write a place. */
const said = ({ file, line, path, reason }: RowReport, kind = ''): string =>
  `${file}:${line}: ${kind}${path ? `${path}: ` : ''}${reason}`;

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
  const { dryRun, imported, quizzes, duplicates, skipped, notes, stopped } = report;
  const files = new Set(report.files.map(({ file }) => file)).size;
  const count = (n: number, one: string, many = `${one}s`) =>
    `${n.toLocaleString('en')} ${n === 1 ? one : many}`;
  return [
    `${dryRun ? 'Would import' : 'Imported'} ${count(imported, 'question')} in ${count(quizzes, 'quiz', 'quizzes')} from ${count(files, 'file')}.`,
    duplicates > 0 &&
      `${count(duplicates, 'question')} skipped that the account has already, or that came twice.`,
    skipped.length > 0 && `${count(skipped.length, 'row')} skipped for faults, listed above.`,
    notes.length > 0 && `${count(notes.length, 'note')} on what is not kept, listed above.`,
    stopped && `Stopped early: ${stopped}`,
  ]
    .filter(Boolean)
    .join('\n');
}
