import { basename } from 'node:path';
import {
  countsOf,
  MOST_REPORT_ENTRIES,
  partTitle,
  QUIZ_SIZE,
  REPORT_KINDS,
  type Found,
  type ImportGroup,
  type ImportQuiz,
  type ImportReportEntry,
  type ImportView,
  type ReportKind,
} from '../../../import-export/imports/import';
import { Badge } from '../../components/badge';
import { Page } from '../../components/page';
import { Pager, type PageOf } from '../../components/pager';
import { EmptyState, Tab, Table } from '../../components/table';
import { REPORT_LABELS } from './import-labels';

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
        rowKey={({ file, title, category }) => JSON.stringify([file, title, category])}
        columns={[
          {
            title: 'Title',
            cell: ({ title, category, name: fileName, rows }) => {
              const part = rows > QUIZ_SIZE ? '…' : undefined;
              const name = title ?? partTitle(category ?? fileName, part);
              return (
                <bdi class="clip" title={name}>
                  {name}
                </bdi>
              );
            },
          },
          {
            title: 'Category',
            cell: ({ category }) =>
              category ? <bdi class="clip">{category}</bdi> : <span class="muted">none</span>,
          },
          {
            title: 'Questions',
            kind: 'number',
            cell: ({ rows }) => rows.toLocaleString('en'),
          },
        ]}
      />
    </section>
  );
}

/** Quizzes that the page of an import names; the others have a page of their own. */
const NAMED = 10;

/** The quizzes that an import has made, the first of them. */
export function ImportQuizzes({
  made: { rows, total },
  at,
}: {
  made: Found<ImportQuiz>;
  at: string;
}) {
  const quizzes = rows.slice(0, NAMED);
  return (
    <section class="section">
      <h2>Quizzes</h2>
      <QuizzesTable quizzes={quizzes} />
      {total > quizzes.length && (
        <p class="after">
          <a class="link" href={`${at}/quizzes`}>
            All {total.toLocaleString('en')} quizzes of this import
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
      {total === 0 ? (
        <EmptyState title="It has made no quizzes" />
      ) : (
        <QuizzesTable quizzes={rows} />
      )}
      <Pager page={page} total={total} hrefOf={(number) => `${at}/quizzes?page=${number}`} />
    </Page>
  );
}

function QuizzesTable({ quizzes }: { quizzes: ImportQuiz[] }) {
  return (
    <Table
      label="Quizzes"
      rows={quizzes}
      rowKey={({ id }) => id}
      columns={[
        {
          title: 'Title',
          cell: ({ id, title, deleted }) =>
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
        },
        {
          title: 'Questions',
          kind: 'number',
          cell: ({ questions }) => questions.toLocaleString('en'),
        },
      ]}
    />
  );
}

/** What is said of rows: where, what is wrong, how to fix it. Errors first, or one kind alone. */
export function ImportReportSection({
  view,
  kind,
  entries: { rows, total },
  page,
  at,
}: {
  view: ImportView;
  /** The kind that is shown; null: all. */
  kind: ReportKind | null;
  /** Of this kind. */
  entries: Found<ImportReportEntry>;
  page: PageOf;
  at: string;
}) {
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
      <nav class="tabs" aria-label="Kinds">
        <Tab href={`${at}#report`} label="All" number={all} current={kind === null} />
        {REPORT_KINDS.filter((it) => counts[it] > 0 || it === kind).map((it) => (
          <Tab
            key={it}
            href={`${at}?kind=${it}#report`}
            label={REPORT_LABELS[it].many}
            number={counts[it]}
            current={kind === it}
          />
        ))}
      </nav>
      <p>
        {kind
          ? REPORT_LABELS[kind].says
          : 'Rows that are left out or that you may want to look at. All others are in order.'}
        {Object.values(counts).some((number) => number > MOST_REPORT_ENTRIES) &&
          ` The first ${MOST_REPORT_ENTRIES.toLocaleString('en')} of a kind are listed.`}
      </p>
      {total === 0 ? (
        <EmptyState title="None of this kind" />
      ) : (
        <ReportTable entries={rows} fileName={view.filename} />
      )}
      <Pager
        page={page}
        total={total}
        hrefOf={(number) => `${at}?${kind ? `kind=${kind}&` : ''}page=${number}#report`}
      />
    </section>
  );
}

function ReportTable({ entries, fileName }: { entries: ImportReportEntry[]; fileName: string }) {
  return (
    <Table
      label="Report"
      rows={entries.map((entry, index) => ({ ...entry, index }))}
      rowKey={({ index }) => String(index)}
      columns={[
        {
          title: 'Where',
          cell: ({ file, line, path }) => (
            <>
              Line {line.toLocaleString('en')}
              {/* quizctl imports several files at once. */}
              {file !== fileName && (
                <span class="sub clip" title={file}>
                  {basename(file)}
                </span>
              )}
              {path && <span class="sub mono clip">{path}</span>}
            </>
          ),
        },
        {
          title: 'Kind',
          cell: ({ kind }) => {
            const { one, variant } = REPORT_LABELS[kind];
            return <Badge variant={variant}>{one}</Badge>;
          },
        },
        { title: 'Reason', cell: ({ message }) => <p class="reason">{message}</p> },
      ]}
    />
  );
}
