import { basename } from 'node:path';
import {
  countsOf,
  MOST_REPORT_ENTRIES,
  REPORT_KINDS,
  type ImportView,
  type ReportEntry,
  type ReportKind,
} from '../../../import-export/imports/import';
import { EmptyState, Tab, Table } from '../../components/table';
import { Pager, type PageOf } from '../../components/pager';
import { Badge } from '../../components/badge';
import { REPORT_LABELS } from './import-labels';

/** What is said of rows: where, what is wrong, how to fix it. Errors first, or one kind alone. */
export function ImportReport({
  view,
  kind,
  entries,
  total,
  page,
  at,
}: {
  view: ImportView;
  /** The kind that is shown; null: all. */
  kind: ReportKind | null;
  entries: ReportEntry[];
  /** Of entries of this kind. */
  total: number;
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
        <ReportTable entries={entries} fileName={view.fileName} />
      )}
      <Pager
        page={page}
        total={total}
        hrefOf={(number) => `${at}?${kind ? `kind=${kind}&` : ''}page=${number}#report`}
      />
    </section>
  );
}

function ReportTable({ entries, fileName }: { entries: ReportEntry[]; fileName: string }) {
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
