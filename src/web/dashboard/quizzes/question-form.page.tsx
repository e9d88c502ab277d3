import { QuestionInput } from '../../../authoring/questions/batch-import.request';
import type { OwnedQuestion, OwnedQuiz } from '../../../catalog/quizzes/owned-quizzes.service';
import { LIMITS } from '../../../platform/limits/limits';
import {
  FieldErrors,
  invalidBy,
  optionsOf,
  SelectField,
  TextField,
  useForm,
  VersionField,
} from '../../components/fields';
import { FormPage } from '../../components/page';
import { readForm, type Form } from '../../http/form';
import { backTo, DIFFICULTY_LABELS, TYPE_LABELS } from './quiz-labels';

/** The form's initial number of answers; more on request. */
const ROWS = 4;
/** A post cannot make the page longer. */
export const MOST_ROWS = LIMITS.content.answersPerQuestion.value;

const rowName = (row: number, field: 'text' | 'isCorrect') => `answers[${row}].${field}`;

/** How many rows of answers the form shows. */
function rowsOf(form: Form): number {
  const rows = /^\d{1,3}$/.test(form.text('rows')) ? Number(form.text('rows')) : ROWS;
  return Math.min(Math.max(rows, 2), MOST_ROWS);
}

/** The form as it was typed, with room for one more answer. */
export const withRow = (form: Form) => form.with('rows', String(rowsOf(form) + 1));

/** The form's input; empty rows are left out. @throws Invalid */
export function readQuestion(form: Form): QuestionInput {
  const rows = Array.from({ length: rowsOf(form) }, (_, row) => ({
    row,
    text: form.text(rowName(row, 'text')),
    isCorrect: form.text(rowName(row, 'isCorrect')) === 'yes',
  })).filter(({ text, isCorrect }) => text.trim() !== '' || isCorrect);
  const body = {
    ...form.texts('text', 'type', 'difficulty', 'explanation'),
    answers: rows.map(({ text, isCorrect }) => ({ text, isCorrect })),
  };
  return readForm(QuestionInput, body, ({ path, message, code }) => ({
    path: path.replace(/^answers\[(\d+)\]/, (_, at) => `answers[${rows[Number(at)]?.row}]`),
    message: withoutJson(message),
    code,
  }));
}

/** The rules' messages speak of JSON; this form has check boxes. */
const withoutJson = (message: string) =>
  message
    .replace(/^text /, 'the question ')
    .replace(/^answers\[\d+\]\.text must not be blank/, 'an answer that is ticked needs a text')
    .replace(/^answers\[\d+\]\.text/, 'the text')
    .replace(/^answers (needs|has)/, (_, verb: string) => `the question ${verb}`)
    .replace(
      'needs at least one answer with "isCorrect": true',
      'needs at least one right answer: tick it',
    )
    .replace('one correct answer for TRUE_FALSE', 'one right answer for true or false')
    .replace('for TRUE_FALSE', 'for true or false');

/** @param of `question` null: a new one */
export function QuestionFormPage(of: {
  quiz: OwnedQuiz;
  question: OwnedQuestion | null;
  form: Form;
}) {
  const { quiz, question, form } = of;
  const at = `/dashboard/quizzes/${quiz.id}/questions`;
  return (
    <FormPage
      title={question ? `Edit question ${question.position}` : 'New question'}
      help={question ? undefined : `This will be question ${quiz.questionCount + 1}.`}
      back={backTo(quiz)}
      form={form}
      action={question ? `${at}/${question.id}/edit` : at}
      class="form wide"
      button={question ? 'Save' : 'Add question'}
      also={
        !question && (
          <button class="btn" data-variant="outline" name="then" value="another">
            Add, and write another
          </button>
        )
      }
    >
      {question && <VersionField version={question.version} />}
      {/* Enter presses a form's first button, so the first one must save. */}
      <button class="sr-only" tabIndex={-1} aria-hidden="true">
        Save
      </button>
      <TextField
        name="text"
        label="Question"
        initial={question?.text}
        rows={2}
        autofocus={!question && form.errors.length === 0}
      />
      <div class="form form-row">
        <SelectField
          name="type"
          label="Kind"
          initial={question?.type}
          options={optionsOf(TYPE_LABELS)}
        />
        <SelectField
          name="difficulty"
          label="Difficulty"
          initial={(question ?? quiz).difficulty}
          options={optionsOf(DIFFICULTY_LABELS)}
        />
      </div>
      <Answers given={question?.answers ?? []} />
      <TextField
        name="explanation"
        label="Explanation"
        initial={question?.explanation ?? ''}
        rows={2}
        help="Optional. Shown after the question is answered."
      />
    </FormPage>
  );
}

/** @param of `given`: those of the question before the edit */
function Answers(of: { given: OwnedQuestion['answers'] }) {
  const form = useForm();
  const rows = form.isBlank ? Math.max(ROWS, of.given.length) : rowsOf(form);
  const allErrors = form.errorsOf('answers');
  return (
    <fieldset class="choices answer-rows" aria-describedby="answers-help">
      <legend>Answers</legend>
      <p class="field-help" id="answers-help">
        Tick the correct ones. True or false has two answers. An open question needs one or more
        accepted answers. Empty rows do not count.
      </p>
      <FieldErrors errors={allErrors} id="answers-error" />
      <input type="hidden" name="rows" value={rows} />
      {Array.from({ length: rows }, (_, row) => {
        const given = form.isBlank ? of.given[row] : undefined;
        const text = rowName(row, 'text');
        const tick = rowName(row, 'isCorrect');
        const errors = [...form.errorsOf(text), ...form.errorsOf(`answers[${row}]`)];
        const errorId = `answer-${row}-error`;
        return (
          <div class="answer-row">
            <input
              class="input"
              type="checkbox"
              name={tick}
              value="yes"
              checked={given?.isCorrect ?? form.text(tick) === 'yes'}
              aria-label={`Answer ${row + 1} is right`}
              {...invalidBy(allErrors, 'answers-error')}
            />
            <input
              class="input"
              type="text"
              name={text}
              value={given?.text ?? form.text(text)}
              autocomplete="off"
              aria-label={`Answer ${row + 1}`}
              {...invalidBy(errors, errorId)}
            />
            <FieldErrors errors={errors} id={errorId} />
          </div>
        );
      })}
      <div>
        <button class="btn" data-variant="ghost" data-size="sm" name="then" value="row">
          Add another answer
        </button>
      </div>
    </fieldset>
  );
}
