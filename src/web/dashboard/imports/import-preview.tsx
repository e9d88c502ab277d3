import type { OwnedQuiz } from '../../../catalog/quizzes/owned-quizzes.service';
import type { ImportReport } from '../../../import-export/imports/imports.dto';
import { LinkButton } from '../../components/button';
import { TextInput } from '../../components/fields';
import { count } from '../../components/format';
import { Note, Section } from '../../components/section';
import { QuestionTexts } from '../quizzes/quiz-parts';
import { ImportSettings } from './import-settings';
import { questions } from './import-tables';

/** Whether the questions would get the file's name as a title: that goes public. */
export const needsTitle = ({ view, groups }: ImportReport): boolean =>
  view.quizId === null && groups.some(({ title, category }) => !title && !category);

/** What a preview is for: its settings, and the import. */
export function Start(props: { report: ImportReport; quiz: OwnedQuiz | null; at: string }) {
  const { quiz, at } = props;
  const { view, problem } = props.report;
  const again = `/dashboard/imports/new${view.quizId === null ? '' : `?quiz=${view.quizId}`}`;
  const other = <LinkButton look="outline" href={again} text="Choose another file" />;
  if (!view.changeable)
    return (
      <Section>
        <p>
          Nothing was saved. This preview has expired: to import the questions, upload the file
          again.
        </p>
        <div class="buttons after">{other}</div>
      </Section>
    );
  const isUntitled = needsTitle(props.report);
  const isReady = view.startable && view.totals.importable > 0;
  const update = (
    <button
      class="btn"
      data-variant={isReady && !problem ? 'outline' : undefined}
      formaction={`${at}/preview`}
      formnovalidate
    >
      Update the preview
    </button>
  );
  return (
    <Section label="Import" class="panel import-start">
      <form method="post" action={`${at}/start`} class="form wide">
        {isReady && (
          <p>
            {quiz
              ? `They are appended to “${quiz.title}”.`
              : `This makes ${count(view.totals.quizzes, 'new quiz', 'new quizzes')}.`}{' '}
            Nothing is saved yet.
          </p>
        )}
        {problem && (
          <Note variant="bad" title="This does not fit into your plan">
            <p>{problem}</p>
          </Note>
        )}
        {view.startable && !isReady && <p>Nothing in this file can be imported. See why beside.</p>}
        {/* Enter presses a form's first button, which must not import. */}
        <button
          class="sr-only"
          tabIndex={-1}
          aria-hidden="true"
          formaction={`${at}/preview`}
          formnovalidate
        >
          Update the preview
        </button>
        {view.quizId === null && (
          <TextInput
            name="title"
            label="Title"
            initial={view.title ?? ''}
            placeholder={isUntitled ? 'For example Rivers of Europe' : 'As in the file'}
            maxLength={200}
            required={isUntitled}
            autofocus={isUntitled && isReady}
          />
        )}
        {isReady && view.quizId === null && (
          <label class="choice">
            <input class="input" type="checkbox" name="published" value="yes" />
            <span>
              <span class="choice-label">Publish them</span>
              <small>Where quizzes are reviewed, they go public once they are approved.</small>
            </span>
          </label>
        )}
        <div class="buttons">
          {isReady && !problem && (
            <button class="btn">Import {questions(view.totals.importable)}</button>
          )}
        </div>
        <details class="more" open={!isReady}>
          <summary>Change how it is read</summary>
          <div class="form">
            <ImportSettings view={view} />
            <div class="buttons">{update}</div>
          </div>
        </details>
        <div class="buttons">{other}</div>
      </form>
    </Section>
  );
}

/** The first questions as they will be. */
export function Sample({ report: { sample, view } }: { report: ImportReport }) {
  const all = view.totals.importable;
  return (
    <Section
      title={all > sample.length ? `The first ${sample.length} of ${questions(all)}` : 'Questions'}
      help="As they will be, with the correct answers marked."
    >
      <ol class="questions after">
        {sample.map((question, place) => (
          <li class="panel question">
            <QuestionTexts
              question={{
                ...question,
                id: '',
                format: question.format ?? 'plain',
                position: place + 1,
                answers: question.answers.map((answer) => ({ ...answer, id: '' })),
              }}
            />
          </li>
        ))}
      </ol>
    </Section>
  );
}
