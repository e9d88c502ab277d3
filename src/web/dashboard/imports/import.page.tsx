import type { OwnedQuiz } from '../../../catalog/quizzes/owned-quizzes.service';
import { formatOf } from '../../../import-export/formats/formats';
import {
  countsOf,
  isUnderWay,
  REPORT_KINDS,
  type Import,
  type ImportReport,
  type ImportView,
  type ReportKind,
} from '../../../import-export/imports/import';
import { LinkButton, PostButton } from '../../components/button';
import { Note } from '../../components/section';
import { Page } from '../../components/page';
import type { PageOf } from '../../components/table';
import { count } from '../../components/format';
import { backTo } from '../quizzes/quiz-labels';
import type { Form } from '../../http/form';
import {
  bytes,
  ImportGroups,
  ImportQuizzes,
  ImportReportSection,
  questions,
  REPORT_LABELS,
} from './import-tables';

/** A file on its way: read, looked at, imported. */
export function ImportPage({
  report,
  quiz,
  kind,
  page,
  form,
}: {
  report: ImportReport;
  /** Where its questions go; null: into quizzes of their own, or that quiz is deleted. */
  quiz: OwnedQuiz | null;
  /** Of the entries that are shown; null: all. */
  kind: ReportKind | null;
  page: PageOf;
  form: Form;
}) {
  const { view, groups, quizzes, entries } = report;
  const at = `/dashboard/imports/${view.id}`;
  const underWay = isUnderWay(view.state);
  const isPreview = view.dryRun && view.state === 'completed';
  return (
    <Page
      title={titleOf(view)}
      help={<span class="said">{view.filename}</span>}
      back={quiz ? backTo(quiz) : { href: '/dashboard/imports', label: 'Imports' }}
      form={form}
      head={
        underWay && (
          // Where a script runs, htmx looks again without a reload.
          <noscript>
            <meta http-equiv="refresh" content="2" />
          </noscript>
        )
      }
    >
      {view.error && (
        <Note
          variant="bad"
          title={view.state === 'stopped' ? 'It has stopped on the way' : 'Nothing was imported'}
        >
          <p class="said">{view.error}</p>
        </Note>
      )}
      {underWay && <UnderWay view={view} at={at} />}
      <Totals view={view} />
      {isPreview && <Start view={view} quiz={quiz} at={at} />}
      {!view.dryRun && !underWay && <Done view={view} quiz={quiz} />}
      {isPreview && view.quizId === null && groups.length > 0 && <ImportGroups groups={groups} />}
      {quizzes.total > 0 && view.quizId === null && <ImportQuizzes made={quizzes} at={at} />}
      {(entries.total > 0 || isPreview || kind) && (
        <ImportReportSection {...{ report, kind, page, at }} />
      )}
    </Page>
  );
}

function titleOf({ state, dryRun, totals }: Import): string {
  if (isUnderWay(state)) return dryRun ? 'Reading the file' : 'Importing';
  if (state === 'completed' && dryRun) return 'Preview';
  if (state === 'completed') return totals.imported > 0 ? 'Imported' : 'Nothing imported';
  if (state === 'cancelled') return 'Cancelled';
  return dryRun ? 'This file cannot be read' : 'Import incomplete';
}

function Totals({ view }: { view: ImportView }) {
  if (view.totals.rows === 0 && !view.checked) return null;
  const counts = countsOf(view);
  const figures: [string, number][] = [
    ['Rows', view.totals.rows],
    view.dryRun ? ['Can be imported', view.totals.importable] : ['Imported', view.totals.imported],
    ...REPORT_KINDS.map((kind): [string, number] => [REPORT_LABELS[kind].many, counts[kind]]),
  ];
  return (
    <section class="panel" aria-label="Totals">
      <dl class="figures flush">
        {figures.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value.toLocaleString('en')}</dd>
          </div>
        ))}
      </dl>
      <p class="muted after">
        {view.format && `${formatOf(view.format).title}, `}
        {bytes(view.size)}
      </p>
    </section>
  );
}

/** What a preview is for. */
function Start({ view, quiz, at }: { view: ImportView; quiz: OwnedQuiz | null; at: string }) {
  const again = `/dashboard/imports/new${view.quizId === null ? '' : `?quiz=${view.quizId}`}`;
  const other = <LinkButton look="outline" href={again} text="Choose another file" />;
  const isEmpty = view.totals.importable === 0;
  if (isEmpty || !view.startable)
    return (
      <section class="section">
        <p>
          {isEmpty
            ? 'Nothing in this file can be imported. See why below.'
            : 'Nothing was saved. This preview has expired: to import the questions, upload the file again.'}
        </p>
        <div class="buttons after">{other}</div>
      </section>
    );
  return (
    <section class="section" aria-label="Import">
      <form method="post" action={`${at}/start`} class="form wide">
        <p>
          {quiz
            ? `They are appended to “${quiz.title}”.`
            : `They become ${count(view.totals.quizzes, 'new quiz', 'new quizzes')}.`}{' '}
          Nothing is saved yet.
        </p>
        {view.quizId === null && (
          <label class="choice">
            <input type="checkbox" name="published" value="yes" />
            <span>
              <span class="choice-label">Publish them</span>
              <small>Everybody sees them once an administrator has approved them.</small>
            </span>
          </label>
        )}
        <div class="buttons">
          <button class="btn">Import {questions(view.totals.importable)}</button>
          {other}
        </div>
      </form>
    </section>
  );
}

function Done({ view, quiz }: { view: ImportView; quiz: OwnedQuiz | null }) {
  const { imported, quizzes } = view.totals;
  const into = quiz || quizzes === 0 ? '' : `, into ${count(quizzes, 'new quiz', 'new quizzes')}`;
  return (
    <section class="section" aria-label="Result">
      <p>
        {imported === 0 ? 'No question was imported.' : `${questions(imported)} imported${into}.`}
      </p>
      <div class="buttons after">
        <LinkButton
          look="primary"
          href={quiz ? `/dashboard/quizzes/${quiz.id}` : '/dashboard/quizzes'}
          text={quiz ? 'To the quiz' : 'To my quizzes'}
        />
        <LinkButton look="outline" href="/dashboard/imports/new" text="Import another file" />
      </div>
    </section>
  );
}

/** How far it is. With a script the page looks again by itself, without one the browser loads it again. */
function UnderWay({ view, at }: { view: ImportView; at: string }) {
  const { imported, importable, rows } = view.totals;
  const isWriting = view.checked && !view.dryRun;
  // What a preview has read is not read again: then all that is left is writing.
  const percent = view.checked
    ? Math.floor((100 * imported) / Math.max(importable, 1))
    : view.progress;
  const said = isWriting
    ? `${imported.toLocaleString('en')} of ${questions(importable)} imported`
    : `${questions(rows)} read`;
  return (
    <section
      class="panel"
      aria-label="Progress"
      hx-get={at}
      hx-trigger="every 1s"
      hx-target="#main"
      hx-select="#main"
      hx-swap="outerHTML"
    >
      <div class="quota">
        <div class="quota-line">
          <span role="status">
            {view.state === 'running' ? said : 'It begins as soon as a worker is free.'}
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
