import { basename } from 'node:path';
import {
  countsOf,
  MOST_REPORT_ENTRIES,
  partTitle,
  QUIZ_SIZE,
  REPORT_KINDS,
  type Found,
  type Import,
  type ImportGroup,
  type ImportQuiz,
  type ImportReport,
  type ImportView,
  type ReportKind,
} from '../../../import-export/imports/import';
import { Badge, type BadgeVariant } from '../../components/section';
import { Page } from '../../components/page';
import { EmptyState, Pager, Table, Tabs, type PageOf } from '../../components/table';
import { count } from '../../components/format';

interface ReportLabels {
  many: string;
  variant: BadgeVariant;
  /** What it means for the row. */
  says: string;
}

/** The kinds of report entries, named as in the API and quizctl (docs/import-export.md). */
export const REPORT_LABELS: Record<ReportKind, ReportLabels> = {
  error: {
    many: 'Errors',
    variant: 'bad',
    says: 'These rows are left out. Fix them and import the file again: what you have by then is skipped.',
  },
  duplicate: {
    many: 'Duplicates',
    variant: 'neutral',
    says: 'These rows are left out: your account or the file has the question already.',
  },
  note: {
    many: 'Notes',
    variant: 'neutral',
    says: 'What the file has and a question here has not. The rows are not left out.',
  },
};

/** Where an import stands. */
export function stateOf({ state, dryRun, totals }: Import): [string, BadgeVariant] {
  if (state === 'receiving' || state === 'waiting') return ['waiting', 'busy'];
  if (state === 'running') return [dryRun ? 'being read' : 'being imported', 'busy'];
  if (state === 'cancelled') return [state, 'neutral'];
  if (state !== 'completed') return [state, 'bad'];
  if (dryRun) return ['preview', 'neutral'];
  if (totals.imported > 0) return ['imported', 'good'];
  const { errors, duplicates } = totals;
  const why = [
    errors > 0 && count(errors, 'error', 'errors'),
    duplicates > 0 && count(duplicates, 'duplicate', 'duplicates'),
  ].filter(Boolean);
  return [`nothing imported: ${why.join(', ') || 'no questions'}`, errors > 0 ? 'bad' : 'neutral'];
}

export const questions = (number: number): string => count(number, 'question', 'questions');

/** `12.5 MiB`, `340 KiB` */
export function bytes(size: number): string {
  const [unit, name] = size >= 1_048_576 ? [1_048_576, 'MiB'] : [1_024, 'KiB'];
  return `${(size / unit).toLocaleString('en', { maximumFractionDigits: 1 })} ${name}`;
}

/** The quizzes that a file would make. */
export function ImportGroups({ groups }: { groups: ImportGroup[] }) {
  return (
    <section class="section">
      <h2>Quizzes</h2>
      <p>
        The file becomes a quiz for each title. Questions without a title go into quizzes of up to{' '}
        {QUIZ_SIZE} questions, named after their category or the file.
      </p>
      <Table
        label="Quizzes"
        rows={groups}
        columns={{
          Title: ({ title, category, name: fileName, rows }) => {
            const part = rows > QUIZ_SIZE ? '…' : undefined;
            const name = title ?? partTitle(category ?? fileName, part);
            return (
              <bdi class="clip" title={name}>
                {name}
              </bdi>
            );
          },
          Category: ({ category }) =>
            category ? <bdi class="clip">{category}</bdi> : <span class="muted">none</span>,
          Questions: ({ rows }) => rows,
        }}
      />
    </section>
  );
}

/** Quizzes that the page of an import names; the others have a page of their own. */
const NAMED = 10;

/** The quizzes that an import has made, the first of them. */
export function ImportQuizzes({ made, at }: { made: Found<ImportQuiz>; at: string }) {
  const quizzes = made.rows.slice(0, NAMED);
  return (
    <section class="section">
      <h2>Quizzes</h2>
      <QuizzesTable quizzes={quizzes} />
      {made.total > quizzes.length && (
        <p class="after">
          <a class="link" href={`${at}/quizzes`}>
            All {made.total.toLocaleString('en')} quizzes of this import
          </a>
        </p>
      )}
    </section>
  );
}

/** All of them. */
export function ImportQuizzesPage({
  view,
  made: { rows, total },
  page,
}: {
  view: ImportView;
  made: Found<ImportQuiz>;
  page: PageOf;
}) {
  const at = `/dashboard/imports/${view.id}`;
  return (
    <Page
      title="Quizzes of an import"
      help={<span class="said">{view.filename}</span>}
      back={{ href: at, label: 'The import' }}
    >
      <QuizzesTable quizzes={rows} />
      <Pager page={page} total={total} at={`${at}/quizzes`} />
    </Page>
  );
}

function QuizzesTable({ quizzes }: { quizzes: ImportQuiz[] }) {
  return (
    <Table
      label="Quizzes"
      rows={quizzes}
      empty={<EmptyState title="It has made no quizzes" />}
      columns={{
        Title: ({ id, title, deleted }) =>
          deleted ? (
            <>
              <bdi class="clip">{title}</bdi>
              <span class="sub">deleted since</span>
            </>
          ) : (
            <a class="link clip" href={`/dashboard/quizzes/${id}`} title={title}>
              <bdi>{title}</bdi>
            </a>
          ),
        Questions: ({ questions }) => questions,
      }}
    />
  );
}

/** What is said of rows: where, what is wrong, how to fix it. Errors first, or one kind alone. */
export function ImportReportSection({
  report: { view, entries },
  kind,
  page,
  at,
}: {
  report: ImportReport;
  /** The kind that is shown; null: all. */
  kind: ReportKind | null;
  page: PageOf;
  at: string;
}) {
  const { rows, total } = entries;
  const counts = countsOf(view);
  const all = Object.values(counts).reduce((sum, number) => sum + number, 0);
  if (all === 0 && total === 0)
    return (
      <section class="section" id="report">
        <h2>Report</h2>
        <EmptyState title="Every row is in order" />
      </section>
    );
  return (
    <section class="section" id="report">
      <h2>Report</h2>
      <Tabs
        label="Kinds"
        tabs={[
          { href: `${at}#report`, label: 'All', number: all, current: kind === null },
          ...REPORT_KINDS.filter((it) => counts[it] > 0 || it === kind).map((it) => ({
            href: `${at}?kind=${it}#report`,
            label: REPORT_LABELS[it].many,
            number: counts[it],
            current: kind === it,
          })),
        ]}
      />
      <p>
        {kind
          ? REPORT_LABELS[kind].says
          : 'Rows that are left out or that you may want to look at. All others are in order.'}
        {Object.values(counts).some((number) => number > MOST_REPORT_ENTRIES) &&
          ` The first ${MOST_REPORT_ENTRIES.toLocaleString('en')} of a kind are listed.`}
      </p>
      <Table
        label="Report"
        empty={<EmptyState title="None of this kind" />}
        rows={rows}
        columns={{
          Where: ({ file, line, path }) => (
            <>
              Line {line.toLocaleString('en')}
              {/* quizctl imports several files at once. */}
              {file !== view.filename && (
                <span class="sub clip" title={file}>
                  {basename(file)}
                </span>
              )}
              {path && <span class="sub mono clip">{path}</span>}
            </>
          ),
          Kind: ({ kind }) => <Badge variant={REPORT_LABELS[kind].variant}>{kind}</Badge>,
          Reason: ({ message }) => <p class="reason">{message}</p>,
        }}
      />
      <Pager page={page} total={total} at={kind ? `${at}?kind=${kind}` : at} fragment="#report" />
    </section>
  );
}
