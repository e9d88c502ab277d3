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
import type { Messages } from '../../../platform/messages/messages';
import { translated } from '../../../platform/messages/refusals';
import { MEBIBYTE } from '../../../platform/sizes';
import { Clip } from '../../components/format';
import { Badge, type BadgeVariant, Section } from '../../components/section';
import { EmptyState, type PageOf, Pager, Table, Tabs } from '../../components/table';
import { useMessages } from '../../http/page-context';

/** The kinds of report entries, named as in the API and quizctl (docs/import-export.md). */
const KIND_VARIANTS: Record<ReportKind, BadgeVariant> = {
  error: 'bad',
  duplicate: 'neutral',
  note: 'neutral',
};

/** The state of an import. */
export function ImportBadge({ state, dryRun, totals }: ImportSummary) {
  const { enumerated, t } = useMessages();
  const badge = (variant: BadgeVariant, text: string) => <Badge variant={variant}>{text}</Badge>;
  if (state === 'receiving' || state === 'waiting') return badge('busy', t('import.state.waiting'));
  if (state === 'running')
    return badge('busy', t(dryRun ? 'import.state.reading' : 'import.state.importing'));
  if (state === 'cancelled') return badge('neutral', t('import.state.cancelled'));
  if (state !== 'completed') return badge('bad', t(`import.state.${state}`));
  if (dryRun) return badge('neutral', t('import.state.preview'));
  if (totals.imported > 0) return badge('good', t('import.state.imported'));
  const { errors, duplicates } = totals;
  const reasons = [
    ...(errors > 0 ? [t('import.errors', { count: errors })] : []),
    ...(duplicates > 0 ? [t('import.duplicates', { count: duplicates })] : []),
  ];
  const why = enumerated(reasons) || t('import.noQuestions');
  return badge(errors > 0 ? 'bad' : 'neutral', t('import.nothingBecause', { why }));
}

/** `12.5 MiB`, `340 KiB` */
export function bytes(size: number, { locale }: Messages): string {
  const [unit, name] = size >= MEBIBYTE ? [MEBIBYTE, 'MiB'] : [1_024, 'KiB'];
  return `${(size / unit).toLocaleString(locale, { maximumFractionDigits: 1 })} ${name}`;
}

/** The quizzes that a file would create. */
export function GroupsTable({ groups, size }: { groups: ImportGroup[]; size: number }) {
  const { t } = useMessages();
  const titleOf = ({ title, category, name, rows }: ImportGroup) => {
    const text = title ?? name ?? category;
    if (!text) return <span class="muted">{t('import.noTitle')}</span>;
    return <Clip text={title ?? partTitle(text, rows > size ? '…' : undefined)} />;
  };
  return (
    <Table
      label={t('site.quizzes')}
      rows={groups}
      columns={[
        [t('field.title'), titleOf],
        [
          t('field.category'),
          ({ category }) =>
            category ? (
              <Clip text={category} />
            ) : (
              <span class="muted">{t('import.noCategory')}</span>
            ),
        ],
        [t('nav.questions'), ({ rows }) => rows],
      ]}
    />
  );
}

/** The quizzes that an import has created. */
export function QuizzesTable({ quizzes, total }: { quizzes: ImportQuiz[]; total: number }) {
  const { t } = useMessages();
  return (
    <Table
      label={t('site.quizzes')}
      rows={quizzes}
      empty={total === 0 && <EmptyState title={t('import.noQuizzes')} />}
      columns={[
        [
          t('field.title'),
          ({ id, title, deleted }) =>
            deleted ? (
              <>
                <Clip text={title} />
                <span class="sub">{t('import.deletedSince')}</span>
              </>
            ) : (
              <Clip href={`/dashboard/quizzes/${id}`} text={title} />
            ),
        ],
        [t('nav.questions'), ({ questions }) => questions],
      ]}
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
  const messages = useMessages();
  const { t } = messages;
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
      <Section id="report" title={t('import.report')}>
        <EmptyState title={t('import.fine')} />
      </Section>
    );
  const kinds = REPORT_KINDS.filter((it) => counts[it] > 0 || it === kind);
  return (
    <Section id="report" title={t('import.report')}>
      <Tabs
        label={t('import.kinds')}
        tabs={[
          { href: `${at}#report`, label: t('catalogue.all'), number: all, current: kind === null },
          ...kinds.map((it) => ({
            href: `${at}?kind=${it}#report`,
            label: t(`import.kind.${it}`),
            number: counts[it],
            current: kind === it,
          })),
        ]}
      />
      <p>
        {kind ? t(`import.says.${kind}`) : t('import.allSay')}
        {numbers.some((number) => number > MOST_REPORT_ENTRIES) &&
          ` ${t('import.listed', { count: MOST_REPORT_ENTRIES })}`}
      </p>
      {areNotesShown && (
        <ul class="grouped-notes">
          {notes.map(({ message, count: number, lines }) => (
            <li>
              <Badge variant="neutral">{t('import.one.note')}</Badge>{' '}
              {number > 1 && <strong>{t('import.rows', { count: number })}</strong>}{' '}
              {translated(message, messages)}{' '}
              <span class="muted">
                {t('import.lines', { lines: messages.enumerated(lines.map(messages.number)) })}
                {number > lines.length && ' …'}
              </span>
            </li>
          ))}
        </ul>
      )}
      {kind !== 'note' && (entries.total > 0 || !areNotesShown) && (
        <Table
          label={t('import.report')}
          empty={entries.total === 0 && <EmptyState title={t('import.noneOfKind')} />}
          rows={entries.rows}
          columns={[
            [
              t('import.where'),
              ({ file, line, path }) => (
                <>
                  {t('import.line', { line })}
                  {/* quizctl imports several files at once. */}
                  {file !== view.filename && (
                    <span class="sub clip" title={file}>
                      {basename(file)}
                    </span>
                  )}
                  {path && <span class="sub mono clip">{path}</span>}
                </>
              ),
            ],
            [
              t('editor.kind'),
              ({ kind }) => <Badge variant={KIND_VARIANTS[kind]}>{t(`import.one.${kind}`)}</Badge>,
            ],
            [
              t('import.reason'),
              ({ message }) => <p class="reason">{translated(message, messages)}</p>,
            ],
          ]}
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
