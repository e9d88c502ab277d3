import type { OwnedQuiz } from '../../catalog/owned-quizzes.service';
import { formatOf } from '../../exchange/formats/formats';
import {
  isUnderWay,
  type ImportPart,
  type ImportView,
  type Remark,
} from '../../exchange/imports/import';
import { FormFaults } from '../kit/fields';
import { Note } from '../kit/note';
import { Page } from '../kit/page';
import type { PageOf } from '../kit/paging.rules';
import { count } from '../kit/words';
import { backTo } from '../quizzes/quiz-form.page';
import type { Form } from '../web/form';
import { ImportParts } from './import-parts';
import { ImportReport } from './import-report';
import { bytes, questions } from './import-words';
import { ImportUnderWay } from './under-way';

/** A file on its way: read, looked at, imported. */
export function ImportPage({
  view,
  quiz,
  parts,
  remarks,
  total,
  page,
  form,
}: {
  view: ImportView;
  /** Where its questions go; null: into quizzes of their own, or that quiz is deleted. */
  quiz: OwnedQuiz | null;
  parts: ImportPart[];
  remarks: Remark[];
  /** Of remarks. */
  total: number;
  page: PageOf;
  form: Form;
}) {
  const at = `/dashboard/imports/${view.id}`;
  const underWay = isUnderWay(view.state);
  const isPreview = view.dryRun && view.state === 'completed';
  return (
    <Page
      title={titleOf(view)}
      help={<span class="said">{view.fileName}</span>}
      back={quiz ? backTo(quiz) : { href: '/dashboard/imports', label: 'Imports' }}
      head={
        underWay && (
          // Where a script runs, htmx looks again without a reload.
          <noscript>
            <meta http-equiv="refresh" content="2" />
          </noscript>
        )
      }
    >
      <FormFaults form={form} />
      {view.error && (
        <Note
          tone="bad"
          title={view.state === 'stopped' ? 'It has stopped on the way' : 'Nothing was imported'}
        >
          <p class="said">{view.error}</p>
        </Note>
      )}
      {underWay && <ImportUnderWay view={view} at={at} />}
      <Totals view={view} />
      {isPreview && <Start view={view} quiz={quiz} at={at} />}
      {!view.dryRun && !underWay && <Done view={view} quiz={quiz} />}
      {parts.length > 0 && view.quizId === null && <ImportParts view={view} parts={parts} />}
      {(total > 0 || isPreview) && (
        <ImportReport remarks={remarks} total={total} page={page} at={at} />
      )}
    </Page>
  );
}

function titleOf({ state, dryRun }: ImportView): string {
  if (isUnderWay(state)) return dryRun ? 'Reading the file' : 'Importing';
  if (state === 'completed') return dryRun ? 'Preview' : 'Imported';
  if (state === 'cancelled') return 'Cancelled';
  return dryRun ? 'This file cannot be read' : 'Not imported whole';
}

function Totals({ view }: { view: ImportView }) {
  if (view.rows === 0 && !view.checked) return null;
  const figures: [string, number][] = [
    ['Rows', view.rows],
    view.dryRun ? ['Can be imported', view.fresh] : ['Imported', view.imported],
    ['Duplicates', view.duplicates],
    ['Near duplicates', view.similar],
    ['Left out', view.faults],
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
  const other = (
    <a class="btn" data-variant="outline" href={again}>
      Choose another file
    </a>
  );
  if (view.fresh === 0)
    return (
      <section class="section">
        <p>There is nothing in it that could be imported. Below it says why of each row.</p>
        <div class="buttons after">{other}</div>
      </section>
    );
  return (
    <section class="section" aria-label="Import">
      <form method="post" action={`${at}/start`} class="form wide">
        <p>
          {quiz
            ? `They are appended to “${quiz.title}”.`
            : `They become ${count(view.quizzes, 'new quiz', 'new quizzes')}.`}{' '}
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
          <button class="btn">Import {questions(view.fresh)}</button>
          {other}
        </div>
      </form>
    </section>
  );
}

function Done({ view, quiz }: { view: ImportView; quiz: OwnedQuiz | null }) {
  return (
    <section class="section" aria-label="Result">
      <p>
        {quiz || view.quizzes === 0
          ? `${questions(view.imported)} imported.`
          : `${questions(view.imported)} imported, into ${count(view.quizzes, 'new quiz', 'new quizzes')}.`}
      </p>
      <div class="buttons after">
        <a class="btn" href={quiz ? `/dashboard/quizzes/${quiz.id}` : '/dashboard/quizzes'}>
          {quiz ? 'To the quiz' : 'To my quizzes'}
        </a>
        <a class="btn" data-variant="outline" href="/dashboard/imports/new">
          Import another file
        </a>
      </div>
    </section>
  );
}
