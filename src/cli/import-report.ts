import { REPORT_KINDS, type ReportKind } from '../import-export/imports/import.rules';
import type {
  ImportQuiz,
  ImportReport,
  ImportReportEntry,
  ImportSummary,
} from '../import-export/imports/imports.dto';
import { quizctl } from '../platform/config/command-line';
import { pick } from './command';
import { plain } from './output';

/** The report of an import, for people and for programs. */

/** Quizzes that are listed for people; programs get all. */
const NAMED = 10;

/** For programs. Lists and counts have separate names, so that no name changes its type. */
export function reportAsJson({ view, entries, quizzes, groups }: ImportReport) {
  const { totals } = view;
  const rowsOf = (kind: ReportKind) =>
    entries.rows
      .filter((entry) => entry.kind === kind)
      .map(({ file, line, path, message }) => ({
        file,
        line,
        ...(path && { path }),
        reason: message,
      }));
  return {
    importId: view.id,
    dryRun: view.dryRun,
    imported: view.dryRun ? totals.importable : totals.imported,
    quizzes: totals.quizzes,
    quizList: quizzes.rows.map((quiz) => pick(quiz, 'id', 'title', 'slug', 'questions')),
    duplicates: totals.duplicates,
    duplicateRows: rowsOf('duplicate'),
    skipped: rowsOf('error'),
    notes: rowsOf('note'),
    // Some of each kind are kept; further ones are only counted.
    notListed: unlisted(view, entries.rows),
    files: groups.map(({ file, title, category, rows, imported }) => ({
      file,
      ...(title && { title }),
      category: category ?? '',
      rows,
      imported,
    })),
    stopped: stoppedBecause(view),
  };
}

/**
 * For people: a line for each report entry, then the summary. The most important lines come last, where a terminal
 * shows them.
 */
export function reportAsText(report: ImportReport, files: number): string {
  const rows = [...REPORT_KINDS]
    .reverse()
    .flatMap((kind) => report.entries.rows.filter((entry) => entry.kind === kind).map(said));
  return [...rows, ...(rows.length > 0 ? [''] : []), ...summary(report, files)].join('\n');
}

/** `questions.csv:7: error: …`, a location as editors and compilers write it. */
const said = ({ kind, file, line, path, message }: ImportReportEntry): string =>
  plain(`${file}:${line}: ${kind}: ${path ? `${path}: ` : ''}${message}`);

function summary({ view, quizzes, entries }: ImportReport, files: number): string[] {
  const { imported, importable, duplicates, errors, notes } = view.totals;
  const { dryRun } = view;
  const from = count(files, 'file');
  const [done, number] = dryRun ? ['Would import', importable] : ['Imported', imported];
  const stopped = stoppedBecause(view);
  const more = unlisted(view, entries.rows);
  return [
    number === 0
      ? `${dryRun ? 'Would import nothing' : 'Imported nothing'} from ${from}.`
      : `${done} ${count(number, 'question')} ${whereTo(view)} from ${from}.`,
    ...named(quizzes.rows),
    !dryRun &&
      number > 0 &&
      `To delete what it made: ${quizctl(`undo-import ${view.id} --account …`)}`,
    errors > 0 && `${count(errors, 'error')}: rows that were not imported.`,
    duplicates > 0 &&
      `${count(duplicates, 'duplicate')}: not imported, as the account or the file has the question already.`,
    notes > 0 && `${count(notes, 'note')}: about content that is not kept.`,
    more > 0 && `${more.toLocaleString('en')} of these are only counted, the others listed above.`,
    stopped && plain(`Stopped early: ${stopped}`),
  ].filter((line) => line !== false && line !== null);
}

function whereTo({ quizId, totals }: ImportSummary): string {
  return quizId === null ? `in ${count(totals.quizzes, 'quiz', 'quizzes')}` : 'into the quiz';
}

function named(quizzes: ImportQuiz[]): string[] {
  const lines = quizzes
    .slice(0, NAMED)
    .map(
      ({ id, title, questions }) => `  ${id}  ${plain(title)} (${count(questions, 'question')})`,
    );
  const more = quizzes.length - lines.length;
  return more > 0
    ? [...lines, `  and ${more.toLocaleString('en')} more; --json names them all.`]
    : lines;
}

/** Report entries that are only counted. */
const unlisted = ({ totals }: ImportSummary, listed: readonly ImportReportEntry[]): number =>
  totals.errors + totals.duplicates + totals.notes - listed.length;

export function stoppedBecause({ state, error, totals }: ImportSummary): string | null {
  if (state === 'completed') return null;
  return `${error ?? 'It was cancelled.'} ${totals.imported} of ${totals.importable} questions were imported.`;
}

/** `1 question`, `1,200 questions` */
export const count = (n: number, one: string, many = `${one}s`) =>
  `${n.toLocaleString('en')} ${n === 1 ? one : many}`;
