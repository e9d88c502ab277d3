import type { INestApplicationContext } from '@nestjs/common';
import {
  REPORT_KINDS,
  type ImportGroup,
  type ImportQuiz,
  type ImportView,
  type ReportEntry,
  type ReportKind,
} from '../import-export/imports/import';
import { ImportsService } from '../import-export/imports/imports.service';

/** What an import has to say, for people and for programs. */
export interface ImportReport {
  view: ImportView;
  /** How many files were read. */
  files: number;
  entries: ReportEntry[];
  quizzes: ImportQuiz[];
  groups: ImportGroup[];
}

const PAGE = 1_000;
/** Quizzes that are named to people; programs get all. */
const NAMED = 10;

export async function readReport(
  services: INestApplicationContext,
  view: ImportView,
  files: number,
): Promise<ImportReport> {
  const imports = services.get(ImportsService);
  const entries = await allOf((page) =>
    imports
      .entries(view.accountId, view.id, page)
      .then(({ entries, total }) => ({ items: entries, total })),
  );
  const quizzes = await allOf((page) =>
    imports
      .quizzesOf(view.accountId, view.id, page)
      .then(({ quizzes, total }) => ({ items: quizzes, total })),
  );
  const groups = await allOf((page) =>
    imports
      .groups(view.accountId, view.id, page)
      .then(({ groups, total }) => ({ items: groups, total })),
  );
  return { view, files, entries, quizzes, groups };
}

/** For programs. Lists and counts have names of their own: none changes what it is. */
export function reportAsJson({ view, entries, quizzes, groups }: ImportReport) {
  const rowsOf = (kind: ReportKind) =>
    entries
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
    imported: view.dryRun ? view.importable : view.imported,
    quizzes: view.quizzes,
    quizList: quizzes.map(({ id, title, slug, questions }) => ({ id, title, slug, questions })),
    duplicates: view.duplicates,
    duplicateRows: rowsOf('duplicate'),
    skipped: rowsOf('error'),
    similar: rowsOf('similar'),
    notes: rowsOf('note'),
    // Of each kind 10,000 are kept; more are only counted.
    notListed: view.errors + view.similar + view.notes + view.duplicates - entries.length,
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
 * For people: a line for each row of which there is something to say, then the sum. What matters most stands
 * nearest to the end, where a terminal shows it.
 */
export function reportAsText(report: ImportReport): string {
  const rows = [...REPORT_KINDS]
    .reverse()
    .flatMap((kind) => report.entries.filter((entry) => entry.kind === kind).map(said));
  return [...rows, ...(rows.length > 0 ? [''] : []), ...summary(report)].join('\n');
}

/** `questions.csv:7: error: …`, as editors and compilers write a place. */
const said = ({ kind, file, line, path, message }: ReportEntry): string =>
  plain(`${file}:${line}: ${kind}: ${path ? `${path}: ` : ''}${message}`);

/** Files are anybody's: what they say moves no cursor and begins no line. */
const plain = (text: string): string => text.replace(/\p{Cc}/gu, ' ');

function summary({ view, files, quizzes, entries }: ImportReport): string[] {
  const { dryRun, imported, importable, duplicates, similar, errors, notes } = view;
  const from = count(files, 'file');
  const [done, number] = dryRun ? ['Would import', importable] : ['Imported', imported];
  const stopped = stoppedBecause(view);
  const unlisted = errors + duplicates + similar + notes - entries.length;
  return [
    number === 0
      ? `${dryRun ? 'Would import nothing' : 'Imported nothing'} from ${from}.`
      : `${done} ${count(number, 'question')} ${whereTo(view)} from ${from}.`,
    ...named(quizzes),
    errors > 0 && `${count(errors, 'error')}: rows that were left out.`,
    duplicates > 0 &&
      `${count(duplicates, 'duplicate')}: left out, as the account or the file has the question already.`,
    similar > 0 &&
      `${similar.toLocaleString('en')} similar: much like another question, not left out.`,
    notes > 0 && `${count(notes, 'note')}: on what is not kept.`,
    unlisted > 0 &&
      `${unlisted.toLocaleString('en')} of these are only counted, the others listed above.`,
    stopped && `Stopped early: ${stopped}`,
  ].filter((line) => line !== false && line !== null);
}

function whereTo({ quizId, quizzes }: ImportView): string {
  return quizId === null ? `in ${count(quizzes, 'quiz', 'quizzes')}` : 'into the quiz';
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

export function stoppedBecause({ state, error, imported, importable }: ImportView): string | null {
  if (state === 'completed') return null;
  return `${error ?? 'It was cancelled.'} ${imported} of ${importable} questions were imported.`;
}

const count = (n: number, one: string, many = `${one}s`) =>
  `${n.toLocaleString('en')} ${n === 1 ? one : many}`;

async function allOf<Item>(
  read: (page: { limit: number; offset: number }) => Promise<{ items: Item[]; total: number }>,
): Promise<Item[]> {
  const all: Item[] = [];
  for (;;) {
    const { items, total } = await read({ limit: PAGE, offset: all.length });
    all.push(...items);
    if (items.length === 0 || all.length >= total) return all;
  }
}
