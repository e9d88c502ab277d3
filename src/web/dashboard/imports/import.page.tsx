import type { OwnedQuiz } from '../../../catalog/quizzes/owned-quizzes.service';
import { formatOf, UNKNOWN_FORMAT } from '../../../import-export/formats/formats';
import {
  isUnderWay,
  REPORT_KINDS,
  type ReportKind,
} from '../../../import-export/imports/import.rules';
import {
  countsOf,
  type ImportReport,
  type ImportSummary,
  type ImportView,
} from '../../../import-export/imports/imports.dto';
import type { MessageKey } from '../../../platform/messages/messages';
import { translated } from '../../../platform/messages/refusals';
import { Confirm, LinkButton, PostButton } from '../../components/button';
import { Link } from '../../components/format';
import { Page, reloading } from '../../components/page';
import { type Figure, Figures, Note, Panel, Section } from '../../components/section';
import type { PageOf } from '../../components/table';
import type { Form } from '../../http/form';
import { useMessages } from '../../http/page-context';
import { backTo } from '../quizzes/quiz-parts';
import { MOST_PROBLEMS, Problems, WholeText } from './import-corrections';
import { needsTitle, Sample, Start } from './import-preview';
import { bytes, GroupsTable, QuizzesTable, ReportSection } from './import-tables';
import { isPastedText } from './upload';

/** Quizzes that the page of an import names; the others have a page of their own. */
const NAMED = 10;

interface ImportPageProps {
  report: ImportReport;
  /** The target quiz; null: new quizzes, or the quiz was deleted. */
  quiz: OwnedQuiz | null;
  /** The kind of the entries shown; null: all. */
  kind: ReportKind | null;
  page: PageOf;
  form: Form;
  /** The file's text, if it can be corrected in the page. */
  text: string | null;
  problems: Parameters<typeof Problems>[0]['problems'];
}

/** The progress of a file: uploaded, checked, imported. */
export function ImportPage(props: ImportPageProps) {
  const { t } = useMessages();
  const { report, quiz, kind, page, form } = props;
  const { view } = report;
  const at = `/dashboard/imports/${view.id}`;
  const underWay = isUnderWay(view.state);
  const isPreview = isPreviewed(view);
  const isOfNewQuizzes = view.quizId === null;
  return (
    <Page
      title={t(titleOf(view))}
      help={<span class="said">{view.filename}</span>}
      back={quiz ? backTo(quiz) : { href: '/dashboard/imports', label: t('quizzes.imports') }}
      form={form}
      head={
        underWay && (
          // With scripts, htmx polls without reloading the page.
          <noscript>
            <meta http-equiv="refresh" content="2" />
          </noscript>
        )
      }
    >
      {view.error && <Failure view={view} error={view.error} />}
      {underWay && <UnderWay view={view} at={at} />}
      {!isUnreadable(view) && <Totals view={view} />}
      {(isPreview || view.changeable) && <Preview {...props} at={at} />}
      {!view.dryRun && !underWay && <Done report={report} quiz={quiz} at={at} />}
      {isPreview && isOfNewQuizzes && areGroupsShown(report) && <PlannedQuizzes report={report} />}
      {isOfNewQuizzes && report.quizzes.total > 0 && <CreatedQuizzes report={report} at={at} />}
      {isReportShown(props) && <ReportSection report={report} kind={kind} page={page} at={at} />}
    </Page>
  );
}

const isPreviewed = ({ dryRun, state }: ImportView): boolean => dryRun && state === 'completed';

/** A file that cannot be read has one error, which is said once, at the top. */
const isUnreadable = ({ state, error, totals }: ImportView): boolean =>
  state === 'failed' && error !== null && totals.rows <= 1;

/** One quiz that is not named yet is all in the form beside the questions. */
const areGroupsShown = (report: ImportReport): boolean =>
  report.groups.length > (needsTitle(report) ? 1 : 0);

function isReportShown({ report, kind, problems }: ImportPageProps): boolean {
  const { view, entries, notes } = report;
  if (isUnreadable(view)) return false;
  if (entries.total > 0 || notes.length > 0 || kind) return true;
  const areAllCorrectable = problems.entries.length > 0 && view.totals.errors <= MOST_PROBLEMS;
  return isPreviewed(view) && !areAllCorrectable;
}

/** Why nothing, or not everything, was imported. */
function Failure({ view, error }: { view: ImportView; error: string }) {
  const messages = useMessages();
  const { t } = messages;
  const { imported, importable } = view.totals;
  return (
    <Note
      variant="bad"
      title={
        view.state === 'stopped'
          ? t('import.stoppedAfter', { done: imported, count: importable })
          : t('import.nothingWas')
      }
    >
      <p class="said">
        {error.endsWith(UNKNOWN_FORMAT) ? t('import.unknownFormat') : translated(error, messages)}
      </p>
      {view.changeable && view.columns && <p>{t('import.orColumns')}</p>}
    </Note>
  );
}

/** How the file is read and what it becomes, beside its mistakes and its questions. */
function Preview({ report, quiz, form, text, problems, at }: ImportPageProps & { at: string }) {
  const isPreview = isPreviewed(report.view);
  const isPasted = isPastedText(report.view.filename);
  // Once it can be read, what it becomes is more interesting than itself.
  const isTextFirst = !isPreview || (isPasted && report.view.totals.importable === 0);
  const wholeText = text !== null && (
    <WholeText text={text} at={at} isOpen={isTextFirst} form={form} />
  );
  return (
    <div class="import-panes">
      <Start report={report} quiz={quiz} at={at} />
      <div class="import-main">
        {isTextFirst && wholeText}
        {isPreview && <Problems report={report} problems={problems} at={at} form={form} />}
        {report.sample.length > 0 && <Sample report={report} quiz={quiz} />}
        {!isTextFirst && wholeText}
      </div>
    </div>
  );
}

function PlannedQuizzes({ report: { view, groups } }: { report: ImportReport }) {
  const { t } = useMessages();
  return (
    <Section
      title={t('site.quizzes')}
      help={
        view.title
          ? t('import.groupsTitled', { size: view.quizSize })
          : t('import.groups', { size: view.quizSize })
      }
    >
      <GroupsTable groups={groups} size={view.quizSize} />
    </Section>
  );
}

function CreatedQuizzes({ report: { quizzes }, at }: { report: ImportReport; at: string }) {
  const { t } = useMessages();
  return (
    <Section title={t('site.quizzes')}>
      <QuizzesTable quizzes={quizzes.rows.slice(0, NAMED)} total={quizzes.total} />
      {quizzes.total > NAMED && (
        <p class="after">
          <Link to={`${at}/quizzes`}>{t('import.allQuizzes', { count: quizzes.total })}</Link>
        </p>
      )}
    </Section>
  );
}

function titleOf({ state, dryRun, totals }: ImportSummary): MessageKey {
  if (isUnderWay(state)) return dryRun ? 'import.title.reading' : 'import.title.importing';
  if (state === 'completed' && dryRun) return 'import.title.preview';
  if (state === 'completed')
    return totals.imported > 0 ? 'import.title.imported' : 'import.title.nothing';
  if (state === 'cancelled') return 'import.title.cancelled';
  if (dryRun) return 'import.title.unreadable';
  return state === 'failed' ? 'import.title.nothing' : 'import.title.incomplete';
}

function Totals({ view }: { view: ImportView }) {
  const messages = useMessages();
  const { t } = messages;
  const { totals, checked, dryRun, format, size } = view;
  if (totals.rows === 0 && !checked) return null;
  const counts = countsOf(view);
  return (
    <Panel label={t('import.totals')}>
      <Figures
        rows={[
          [t('import.rowsTitle'), totals.rows],
          dryRun
            ? [t('import.importable'), totals.importable]
            : [t('import.title.imported'), totals.imported],
          ...REPORT_KINDS.map((kind): Figure => [t(`import.kind.${kind}`), counts[kind]]),
        ]}
      />
      <p class="muted after">
        {format && `${formatOf(format).title}, `}
        {bytes(size, messages)}
      </p>
    </Panel>
  );
}

function Done({ report, quiz, at }: { report: ImportReport; quiz: OwnedQuiz | null; at: string }) {
  const { t } = useMessages();
  const { view } = report;
  const { imported, quizzes } = view.totals;
  const { rows, total } = report.quizzes;
  const [only] = total === 1 ? rows.filter(({ deleted }) => !deleted) : [];
  const target = quiz ? backTo(quiz).href : only && `/dashboard/quizzes/${only.id}`;
  const isUndone = total > 0 && total === rows.length && rows.every(({ deleted }) => deleted);
  return (
    <Section label={t('results.result')}>
      <p>
        {imported === 0
          ? t('import.noQuestion')
          : t(quiz || quizzes === 0 ? 'import.done' : 'import.doneInto', {
              count: imported,
              quizzes,
            })}
      </p>
      {view.state === 'cancelled' && view.format === 'archive' && imported > 0 && (
        <p>{t('import.archiveCancelled')}</p>
      )}
      <div class="buttons after">
        <LinkButton
          look="primary"
          href={target ?? '/dashboard/quizzes'}
          text={target ? t('import.toQuiz') : t('import.toQuizzes')}
        />
        <LinkButton look="outline" href="/dashboard/imports/new" text={t('import.next')} />
        {imported > 0 && !isUndone && (
          <Confirm
            label={t('import.undo')}
            action={`${at}/undo`}
            question={t('import.undoIt', { name: view.filename })}
            effect={
              view.quizId
                ? t('import.undoQuestions', { count: imported })
                : t('import.undoQuizzes', { count: quizzes })
            }
            button={t('do.delete')}
          />
        )}
      </div>
    </Section>
  );
}

/** The progress. With a script the page polls by itself; without one the browser reloads it. */
function UnderWay({ view, at }: { view: ImportView; at: string }) {
  const { t } = useMessages();
  const { imported, importable, rows } = view.totals;
  const isWriting = view.checked && !view.dryRun;
  // After a preview nothing is read again, so only writing is left.
  const percent = view.checked
    ? Math.floor((100 * imported) / Math.max(importable, 1))
    : view.progress;
  const said = isWriting
    ? t('import.progressOf', { done: imported, count: importable })
    : t('import.read', { count: rows });
  return (
    <section class="panel" aria-label={t('import.progress')} {...reloading('main', at, 'every 1s')}>
      <div class="quota">
        <div class="quota-line">
          <span role="status">{view.state === 'running' ? said : t('import.soon')}</span>
          <span class="muted">{percent} %</span>
        </div>
        <progress value={percent} max={100} aria-label={t('import.progress')} />
      </div>
      {view.dryRun && !view.startsOnceRead && <p class="after">{t('import.previewFollows')}</p>}
      <div class="buttons after">
        <PostButton action={`${at}/cancel`} text={t('do.cancel')} />
      </div>
    </section>
  );
}
