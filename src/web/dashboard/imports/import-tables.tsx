import { basename } from 'node:path';
import {
  MOST_REPORT_ENTRIES,
  partTitle,
  REPORT_KINDS,
  type ReportKind,
} from '../../../import-export/imports/import.rules';
import {
  countsOf,
  type ImportGroup,
  type ImportQuiz,
  type ImportReport,
  type ImportSummary,
} from '../../../import-export/imports/imports.dto';
import { Clip, count } from '../../components/format';
import { Badge, type BadgeVariant, Section } from '../../components/section';
import { EmptyState, type PageOf, Pager, Table, Tabs } from '../../components/table';

interface ReportLabels {
  many: string;
  variant: BadgeVariant;
  /** The consequence for the row. */
  says: string;
}

/** The kinds of report entries, named as in the API and quizctl (docs/import-export.md). */
export const REPORT_LABELS: Record<ReportKind, ReportLabels> = {
  error: {
    many: 'Errors',
    variant: 'bad',
    says: 'These rows are not imported. Fix them and import the file again: what you have by then is skipped.',
  },
  duplicate: {
    many: 'Duplicates',
    variant: 'neutral',
    says: 'These rows are not imported: your account or the file has the question already.',
  },
  note: {
    many: 'Notes',
    variant: 'neutral',
    says: 'Parts of the file that a question here cannot hold. These rows are imported without them.',
  },
};

/** The state of an import. */
export function ImportBadge({ state, dryRun, totals }: ImportSummary) {
  const badge = (variant: BadgeVariant, text: string) => <Badge variant={variant}>{text}</Badge>;
  if (state === 'receiving' || state === 'waiting') return badge('busy', 'waiting');
  if (state === 'running') return badge('busy', dryRun ? 'being read' : 'being imported');
  if (state === 'cancelled') return badge('neutral', state);
  if (state !== 'completed') return badge('bad', state);
  if (dryRun) return badge('neutral', 'preview');
  if (totals.imported > 0) return badge('good', 'imported');
  const { errors, duplicates } = totals;
  const reasons = [
    ...(errors > 0 ? [count(errors, 'error', 'errors')] : []),
    ...(duplicates > 0 ? [count(duplicates, 'duplicate', 'duplicates')] : []),
  ];
  const why = reasons.join(', ') || 'no questions';
  return badge(errors > 0 ? 'bad' : 'neutral', `nothing imported: ${why}`);
}

export const questions = (number: number): string => count(number, 'question', 'questions');

/** `12.5 MiB`, `340 KiB` */
export function bytes(size: number): string {
  const [unit, name] = size >= 1_048_576 ? [1_048_576, 'MiB'] : [1_024, 'KiB'];
  return `${(size / unit).toLocaleString('en', { maximumFractionDigits: 1 })} ${name}`;
}

/** The quizzes that a file would create. */
export function GroupsTable({ groups, size }: { groups: ImportGroup[]; size: number }) {
  const titleOf = ({ title, category, name, rows }: ImportGroup) =>
    title ?? partTitle(name ?? category, rows > size ? '…' : undefined);
  return (
    <Table
      label="Quizzes"
      rows={groups}
      columns={{
        Title: (group) => <Clip text={titleOf(group)} />,
        Category: ({ category }) =>
          category ? <Clip text={category} /> : <span class="muted">none</span>,
        Questions: ({ rows }) => rows,
      }}
    />
  );
}

/** The quizzes that an import has created. */
export function QuizzesTable({ quizzes }: { quizzes: ImportQuiz[] }) {
  return (
    <Table
      label="Quizzes"
      rows={quizzes}
      empty={<EmptyState title="This import created no quizzes" />}
      columns={{
        Title: ({ id, title, deleted }) =>
          deleted ? (
            <>
              <Clip text={title} />
              <span class="sub">deleted since</span>
            </>
          ) : (
            <Clip href={`/dashboard/quizzes/${id}`} text={title} />
          ),
        Questions: ({ questions }) => questions,
      }}
    />
  );
}

/** The entries of a report: location, problem, and fix. Errors first, or one kind only. */
export function ReportSection(props: {
  report: ImportReport;
  /** The kind that is shown; null: all. */
  kind: ReportKind | null;
  page: PageOf;
  at: string;
}) {
  const { kind, page, at } = props;
  const { view, entries } = props.report;
  const counts = countsOf(view);
  const numbers = Object.values(counts);
  const all = numbers.reduce((sum, number) => sum + number, 0);
  const { notes } = props.report;
  const areNotesShown =
    notes.length > 0 &&
    (kind === 'note' || (kind === null && page.offset + page.limit >= entries.total));
  if (all === 0 && entries.total === 0)
    return (
      <Section id="report" title="Report">
        <EmptyState title="No problems found" />
      </Section>
    );
  const kinds = REPORT_KINDS.filter((it) => counts[it] > 0 || it === kind);
  return (
    <Section id="report" title="Report">
      <Tabs
        label="Kinds"
        tabs={[
          { href: `${at}#report`, label: 'All', number: all, current: kind === null },
          ...kinds.map((it) => ({
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
          : 'Rows that are not imported, or that you may want to check. All others are fine.'}
        {numbers.some((number) => number > MOST_REPORT_ENTRIES) &&
          ` The first ${MOST_REPORT_ENTRIES.toLocaleString('en')} of a kind are listed.`}
      </p>
      {areNotesShown && (
        <ul class="grouped-notes">
          {notes.map(({ message, count: number, lines }) => (
            <li>
              <Badge variant="neutral">note</Badge>{' '}
              {number > 1 && <strong>{number.toLocaleString('en')} rows:</strong>} {message}{' '}
              <span class="muted">
                Line {lines.map((line) => line.toLocaleString('en')).join(', ')}
                {number > lines.length && ' …'}
              </span>
            </li>
          ))}
        </ul>
      )}
      {kind !== 'note' && (entries.total > 0 || !areNotesShown) && (
        <Table
          label="Report"
          empty={<EmptyState title="None of this kind" />}
          rows={entries.rows}
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
      )}
      <Pager
        page={page}
        total={entries.total}
        at={kind ? `${at}?kind=${kind}` : at}
        fragment="#report"
      />
    </Section>
  );
}
