import type { OwnedQuiz } from '../../../catalog/quizzes/owned-quizzes.service';
import { formatOf } from '../../../import-export/formats/formats';
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
import { Confirm, LinkButton, PostButton } from '../../components/button';
import { count, Link } from '../../components/format';
import { Page, reloading } from '../../components/page';
import { type Figure, Figures, Note, Panel, Section } from '../../components/section';
import type { PageOf } from '../../components/table';
import type { Form } from '../../http/form';
import { backTo } from '../quizzes/quiz-parts';
import { MOST_PROBLEMS, Problems, WholeText } from './import-corrections';
import { needsTitle, Sample, Start } from './import-preview';
import {
  bytes,
  GroupsTable,
  questions,
  QuizzesTable,
  REPORT_LABELS,
  ReportSection,
} from './import-tables';
import { PASTED_TEXT } from './upload';

const UNKNOWN_FORMAT =
  'Nothing shows what kind of file this is. Choose the format under “Change how it is read”, or correct the text.';

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
  const { report, quiz, kind, page, form } = props;
  const { view } = report;
  const at = `/dashboard/imports/${view.id}`;
  const underWay = isUnderWay(view.state);
  const isPreview = isPreviewed(view);
  const isOfNewQuizzes = view.quizId === null;
  return (
    <Page
      title={titleOf(view)}
      help={<span class="said">{view.filename}</span>}
      back={quiz ? backTo(quiz) : { href: '/dashboard/imports', label: 'Imports' }}
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
  const { imported, importable } = view.totals;
  return (
    <Note
      variant="bad"
      title={
        view.state === 'stopped'
          ? `Stopped after ${imported.toLocaleString('en')} of ${questions(importable)}`
          : 'Nothing was imported'
      }
    >
      <p class="said">
        {view.format === null && error.includes('could not be recognised') ? UNKNOWN_FORMAT : error}
      </p>
      {view.changeable && view.columns && (
        <p>Or choose what each column is, and update the preview.</p>
      )}
    </Note>
  );
}

/** How the file is read and what it becomes, beside its mistakes and its questions. */
function Preview({ report, quiz, form, text, problems, at }: ImportPageProps & { at: string }) {
  const isPreview = isPreviewed(report.view);
  const isPasted = report.view.filename === PASTED_TEXT;
  const isTextFirst = !isPreview || isPasted;
  const wholeText = text !== null && (
    <WholeText text={text} at={at} isOpen={isTextFirst} form={form} />
  );
  return (
    <div class="import-panes">
      <Start report={report} quiz={quiz} at={at} />
      <div class="import-main">
        {isTextFirst && wholeText}
        {isPreview && <Problems report={report} problems={problems} at={at} form={form} />}
        {report.sample.length > 0 && <Sample report={report} />}
        {!isTextFirst && wholeText}
      </div>
    </div>
  );
}

function PlannedQuizzes({ report: { view, groups } }: { report: ImportReport }) {
  return (
    <Section
      title="Quizzes"
      help={
        view.title
          ? `All questions go into quizzes of up to ${view.quizSize} questions.`
          : `Questions with a quiz title are grouped by it. The rest are split into quizzes of ${view.quizSize} by category.`
      }
    >
      <GroupsTable groups={groups} size={view.quizSize} />
    </Section>
  );
}

function CreatedQuizzes({ report: { quizzes }, at }: { report: ImportReport; at: string }) {
  return (
    <Section title="Quizzes">
      <QuizzesTable quizzes={quizzes.rows.slice(0, NAMED)} />
      {quizzes.total > NAMED && (
        <p class="after">
          <Link to={`${at}/quizzes`}>
            All {quizzes.total.toLocaleString('en')} quizzes of this import
          </Link>
        </p>
      )}
    </Section>
  );
}

function titleOf({ state, dryRun, totals }: ImportSummary): string {
  if (isUnderWay(state)) return dryRun ? 'Reading the file' : 'Importing';
  if (state === 'completed' && dryRun) return 'Preview';
  if (state === 'completed') return totals.imported > 0 ? 'Imported' : 'Nothing imported';
  if (state === 'cancelled') return 'Cancelled';
  if (dryRun) return 'This file cannot be read';
  return state === 'failed' ? 'Nothing imported' : 'Import incomplete';
}

function Totals({ view }: { view: ImportView }) {
  const { totals, checked, dryRun, format, size } = view;
  if (totals.rows === 0 && !checked) return null;
  const counts = countsOf(view);
  return (
    <Panel label="Totals">
      <Figures
        rows={[
          ['Rows', totals.rows],
          dryRun ? ['Can be imported', totals.importable] : ['Imported', totals.imported],
          ...REPORT_KINDS.map((kind): Figure => [REPORT_LABELS[kind].many, counts[kind]]),
        ]}
      />
      <p class="muted after">
        {format && `${formatOf(format).title}, `}
        {bytes(size)}
      </p>
    </Panel>
  );
}

function Done({ report, quiz, at }: { report: ImportReport; quiz: OwnedQuiz | null; at: string }) {
  const { view } = report;
  const { imported, quizzes } = view.totals;
  const into = quiz || quizzes === 0 ? '' : `, into ${count(quizzes, 'new quiz', 'new quizzes')}`;
  const { rows, total } = report.quizzes;
  const [only] = total === 1 ? rows.filter(({ deleted }) => !deleted) : [];
  const target = quiz ? backTo(quiz).href : only && `/dashboard/quizzes/${only.id}`;
  const isUndone = total > 0 && total === rows.length && rows.every(({ deleted }) => deleted);
  return (
    <Section label="Result">
      <p>
        {imported === 0 ? 'No question was imported.' : `${questions(imported)} imported${into}.`}
      </p>
      <div class="buttons after">
        <LinkButton
          look="primary"
          href={target ?? '/dashboard/quizzes'}
          text={target ? 'To the quiz' : 'To my quizzes'}
        />
        <LinkButton look="outline" href="/dashboard/imports/new" text="Import another file" />
        {imported > 0 && !isUndone && (
          <Confirm
            label="Undo this import"
            action={`${at}/undo`}
            question={`Delete what “${view.filename}” made?`}
            effect={
              view.quizId
                ? `The ${questions(imported)} that it added are deleted. Webhook endpoints that receive quiz.updated get an event for each. This cannot be undone.`
                : `Its ${count(quizzes, 'quiz is', 'quizzes are')} deleted with everything in ${quizzes === 1 ? 'it' : 'them'}, including your later changes. Webhook endpoints that receive quiz.deleted get an event for each quiz. This cannot be undone.`
            }
            button="Delete"
          />
        )}
      </div>
    </Section>
  );
}

/** The progress. With a script the page polls by itself; without one the browser reloads it. */
function UnderWay({ view, at }: { view: ImportView; at: string }) {
  const { imported, importable, rows } = view.totals;
  const isWriting = view.checked && !view.dryRun;
  // After a preview nothing is read again, so only writing is left.
  const percent = view.checked
    ? Math.floor((100 * imported) / Math.max(importable, 1))
    : view.progress;
  const said = isWriting
    ? `${imported.toLocaleString('en')} of ${questions(importable)} imported`
    : `${questions(rows)} read`;
  return (
    <section class="panel" aria-label="Progress" {...reloading('main', at, 'every 1s')}>
      <div class="quota">
        <div class="quota-line">
          <span role="status">
            {view.state === 'running' ? said : 'It starts as soon as a worker is free.'}
          </span>
          <span class="muted">{percent} %</span>
        </div>
        <progress value={percent} max={100} aria-label="Progress" />
      </div>
      <div class="buttons after">
        <PostButton action={`${at}/cancel`} text="Cancel" />
      </div>
    </section>
  );
}
