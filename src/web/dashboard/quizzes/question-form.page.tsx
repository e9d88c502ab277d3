import type { OwnedQuestion, OwnedQuiz } from '../../../catalog/quizzes/owned-quizzes.service';
import { FormErrors, SelectField, TextArea, VersionField } from '../../components/fields';
import { Page } from '../../components/page';
import type { Form } from '../../http/form';
import { rowName, rowsOf } from './question-fields';
import { backTo } from './quiz-form.page';
import { DIFFICULTY_LABELS, optionsOf, TYPE_LABELS } from './quiz-labels';

export function QuestionFormPage({
  quiz,
  question,
  form,
}: {
  quiz: OwnedQuiz;
  /** null: a new one. */
  question: OwnedQuestion | null;
  form: Form;
}) {
  const at = `/dashboard/quizzes/${quiz.id}`;
  return (
    <Page
      title={question ? `Edit question ${question.position}` : 'New question'}
      help={question ? undefined : `This will be question ${quiz.questionCount + 1}.`}
      back={backTo(quiz)}
    >
      <form
        method="post"
        action={question ? `${at}/questions/${question.id}/edit` : `${at}/questions`}
        class="form wide"
      >
        <FormErrors form={form} />
        {question && <VersionField form={form} version={question.version} />}
        {/* Enter presses a form's first button: this one saves. */}
        <button class="sr-only" tabIndex={-1} aria-hidden="true">
          Save
        </button>
        <TextArea
          form={form}
          name="text"
          label="Question"
          rows={2}
          autofocus={!question && form.errors.length === 0}
        />
        <div class="form form-row">
          <SelectField form={form} name="type" label="Kind" options={optionsOf(TYPE_LABELS)} />
          <SelectField
            form={form}
            name="difficulty"
            label="Difficulty"
            initial={quiz.difficulty}
            options={optionsOf(DIFFICULTY_LABELS)}
          />
        </div>
        <Answers form={form} />
        <TextArea
          form={form}
          name="explanation"
          label="Explanation"
          rows={2}
          help="Optional. Shown after the question is answered."
        />
        <div class="buttons">
          <button class="btn">{question ? 'Save' : 'Add question'}</button>
          {!question && (
            <button class="btn" data-variant="outline" name="then" value="another">
              Add, and write another
            </button>
          )}
          <a class="btn" data-variant="ghost" href={at}>
            Cancel
          </a>
        </div>
      </form>
    </Page>
  );
}

function Answers({ form }: { form: Form }) {
  const rows = rowsOf(form);
  const errors = form.errorsOf('answers');
  return (
    <fieldset class="choices answer-rows" aria-describedby="answers-help">
      <legend>Answers</legend>
      <p class="field-help" id="answers-help">
        Tick the correct ones. True or false has two answers. An open question needs one or more
        accepted answers. Empty rows do not count.
      </p>
      {errors.length > 0 && (
        <p class="field-error" role="alert" id="answers-error">
          {errors.join(' ')}
        </p>
      )}
      <input type="hidden" name="rows" value={rows} />
      {Array.from({ length: rows }, (_, row) => (
        <AnswerRow key={row} form={form} row={row} allRefused={errors.length > 0} />
      ))}
      <div>
        <button class="btn" data-variant="ghost" data-size="sm" name="then" value="row">
          Add another answer
        </button>
      </div>
    </fieldset>
  );
}

function AnswerRow({
  form,
  row,
  allRefused,
}: {
  form: Form;
  row: number;
  /** There is a sentence about the answers together. */
  allRefused: boolean;
}) {
  const name = rowName(row, 'text');
  const errors = [...form.errorsOf(name), ...form.errorsOf(`answers[${row}]`)];
  const errorId = `answer-${row}-error`;
  return (
    <div class="answer-row">
      <input
        class="input"
        type="checkbox"
        name={rowName(row, 'isCorrect')}
        value="yes"
        checked={form.text(rowName(row, 'isCorrect')) === 'yes'}
        aria-invalid={allRefused ? 'true' : undefined}
        aria-describedby={allRefused ? 'answers-error' : undefined}
        aria-label={`Answer ${row + 1} is right`}
      />
      <input
        class="input"
        type="text"
        name={name}
        value={form.text(name)}
        autocomplete="off"
        aria-label={`Answer ${row + 1}`}
        aria-invalid={errors.length > 0 ? 'true' : undefined}
        aria-describedby={errors.length > 0 ? errorId : undefined}
      />
      {errors.length > 0 && (
        <p class="field-error" id={errorId}>
          {errors.join(' ')}
        </p>
      )}
    </div>
  );
}
