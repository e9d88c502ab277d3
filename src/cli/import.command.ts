import type { INestApplicationContext } from '@nestjs/common';
import { Command, Option } from 'commander';
import { AccountsService } from '../access/accounts.service';
import { DIFFICULTIES, type Difficulty } from '../catalog/vocabulary';
import { FORMAT_NAMES, type FormatName } from '../exchange/formats/formats';
import type { ImportView, Remark } from '../exchange/imports/import';
import { ImportsService } from '../exchange/imports/imports.service';
import { LocalImportsService } from '../exchange/imports/local-imports.service';
import type { Output } from './output';
import { ProgressBar } from './progress-bar';
import { withServices } from './services';

interface Options {
  account: string;
  format?: FormatName;
  difficulty: Difficulty;
  quiz?: string;
  source?: string;
  licence?: string;
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
    .option('--quiz <quiz-id>', 'append all questions to this quiz of the account')
    .addOption(
      new Option('--difficulty <difficulty>', 'of questions whose file does not tell')
        .choices(DIFFICULTIES)
        .default('MEDIUM'),
    )
    .option('--source <text>', 'where the questions are from, if their file does not tell')
    .option('--licence <text>', 'their licence, if their file does not tell')
    .option('--draft', 'leave the quizzes unpublished')
    .option('--dry-run', 'read and report, and change nothing')
    .action((files: string[], options: Options) =>
      withServices(output, async (services) => {
        const { id: accountId } = await services.get(AccountsService).get(options.account);
        const { format, difficulty, quiz, source, licence, draft, dryRun } = options;
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
              ...(format && { format }),
              ...(quiz && { quizId: quiz }),
              ...(source && { source }),
              ...(licence && { licence }),
            },
            {
              // An import that is under way is a worker's to finish, unless it is cancelled.
              onBegin: (id) =>
                process.once('SIGINT', () => {
                  services
                    .get(ImportsService)
                    .cancel(accountId, id)
                    .catch(() => process.exit(1));
                }),
              onRead: (done, of) => bar.show(done / Math.max(of, 1), 'reading'),
              onWritten: (done, of) => bar.show(done / Math.max(of, 1), 'importing'),
            },
          )
          .finally(() => bar.stop());
        const report = await reportOf(services, accountId, view);
        for (const row of report.skipped) output.note(said(row));
        for (const row of report.similar) output.note(said(row, 'similar: '));
        for (const row of report.notes) output.note(said(row, 'note: '));
        output.result(report, summary(view, files.length));
        if (report.stopped !== null) process.exitCode = 1;
      }),
    );
}

type RowReport = { file: string; line: number; path?: string; reason: string };

async function reportOf(services: INestApplicationContext, accountId: string, view: ImportView) {
  const imports = services.get(ImportsService);
  const { remarks } = await imports.remarks(accountId, view.id, { limit: 10_000, offset: 0 });
  const parts = await imports.parts(accountId, view.id, 10_000);
  const rowsOf = (kind: Remark['kind']): RowReport[] =>
    remarks
      .filter((remark) => remark.kind === kind)
      .map(({ file, line, path, message }) => ({
        file,
        line,
        ...(path && { path }),
        reason: message,
      }));
  return {
    importId: view.id,
    dryRun: view.dryRun,
    imported: view.dryRun ? view.fresh : view.imported,
    quizzes: view.quizzes,
    duplicates: view.duplicates,
    skipped: rowsOf('fault'),
    similar: rowsOf('similar'),
    notes: rowsOf('note'),
    // More are only counted.
    notListed: view.faults + view.similar + view.notes + view.duplicates - remarks.length,
    files: parts.map(({ file, title, category, rows, imported }) => ({
      file,
      ...(title && { title }),
      category: category ?? '',
      rows,
      imported,
    })),
    stopped: stoppedBecause(view),
  };
}

function stoppedBecause({ state, error, imported, fresh }: ImportView): string | null {
  if (state === 'completed') return null;
  return `${error ?? 'It was cancelled.'} ${imported} of ${fresh} questions were imported.`;
}

/** `questions.csv:7: …`, as editors and compilers write a place. */
const said = ({ file, line, path, reason }: RowReport, kind = ''): string =>
  `${file}:${line}: ${kind}${path ? `${path}: ` : ''}${reason}`;

function summary(view: ImportView, files: number): string {
  const { dryRun, imported, fresh, quizzes, duplicates, similar, faults, notes } = view;
  const count = (n: number, one: string, many = `${one}s`) =>
    `${n.toLocaleString('en')} ${n === 1 ? one : many}`;
  const stopped = stoppedBecause(view);
  const from = count(files, 'file');
  return [
    dryRun
      ? `Would import ${count(fresh, 'question')} in ${count(quizzes, 'quiz', 'quizzes')} from ${from}.`
      : `Imported ${count(imported, 'question')} in ${count(quizzes, 'quiz', 'quizzes')} from ${from}.`,
    duplicates > 0 &&
      `${count(duplicates, 'question')} skipped that the account has already, or that came twice.`,
    faults > 0 && `${count(faults, 'row')} skipped for faults, listed above.`,
    similar > 0 && `${count(similar, 'question')} much like another, listed above.`,
    notes > 0 && `${count(notes, 'note')} on what is not kept, listed above.`,
    stopped && `Stopped early: ${stopped}`,
  ]
    .filter(Boolean)
    .join('\n');
}
