import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from '../../components/button';
import {
  FieldErrors,
  invalidBy,
  optionsOf,
  SelectField,
  TextInput,
  useForm,
} from '../../components/fields';
import { MOST_ROWS } from './question-form';
import { DIFFICULTY_LABELS, TYPE_LABELS } from './quiz-parts';

/** The fields of a question: what they hold is in the form. CSS shows those of the chosen kind. */
export function QuestionFields({ name }: { name: string }) {
  const form = useForm();
  const isTruth = form.text(`${name}.type`) === 'TRUE_FALSE';
  const isUnticked = form.errors.some(
    ({ path, code }) => path === `${name}.answers` && code === 'unticked',
  );
  const errors = form.errorsOf(`${name}.answers`);
  const errorId = `${name}-answers-error`;
  const texts = form.all(`${name}.answer`).slice(0, MOST_ROWS);
  const gap = Math.max(texts.indexOf(''), 0);
  // The first field that would correct it gets the focus.
  const invalid = (is: boolean) => (is ? invalidBy(errors, errorId) : false);
  return (
    <>
      <TextInput
        name={`${name}.text`}
        label="Question"
        rows={2}
        autofocus={form.text('focus') === `${name}.text`}
      />
      <div class="form form-row">
        <SelectField name={`${name}.type`} label="Kind" options={optionsOf(TYPE_LABELS)} />
        <SelectField
          name={`${name}.difficulty`}
          label="Difficulty"
          options={optionsOf(DIFFICULTY_LABELS)}
        />
      </div>
      <fieldset class="choices listed">
        <legend>
          <span class="of-choice">Answers: tick every correct one</span>
          <span class="of-open">Accepted answers: one is enough</span>
        </legend>
        {!isTruth && <FieldErrors errors={errors} id={errorId} />}
        {texts.map((text, row) => (
          <AnswerRow
            name={name}
            row={row}
            tick={
              <input
                class="input of-choice"
                type="checkbox"
                name={`${name}.right`}
                value={row}
                checked={form.all(`${name}.right`).includes(String(row))}
                aria-label={`Answer ${row + 1} is correct`}
                {...invalid(isUnticked && row === 0)}
              />
            }
            text={{ name: `${name}.answer`, value: text, ...invalid(!isUnticked && row === gap) }}
          >
            <RowButton
              then={`answer-up ${name} ${row}`}
              icon="up"
              label={`Move answer ${row + 1} up`}
            />
            <RowButton
              then={`answer-remove ${name} ${row}`}
              icon="cross"
              label={`Remove answer ${row + 1}`}
            />
          </AnswerRow>
        ))}
        <div>
          <RowButton then={`answer ${name}`} text="Add another answer" />
        </div>
      </fieldset>
      <fieldset class="choices truth">
        <legend>Choose the correct answer</legend>
        {isTruth && <FieldErrors errors={errors} id={errorId} />}
        {form.all(`${name}.option`).map((text, row) => (
          <AnswerRow
            name={name}
            row={row}
            tick={
              <input
                class="input"
                type="radio"
                name={`${name}.truth`}
                value={row}
                checked={form.text(`${name}.truth`) === String(row)}
                aria-label={`${text} is correct`}
                {...invalid(isTruth && row === 0)}
              />
            }
            text={{ name: `${name}.option`, value: text, 'aria-label': `Choice ${row + 1}` }}
          />
        ))}
      </fieldset>
      <TextInput
        name={`${name}.explanation`}
        label="Explanation"
        rows={2}
        help="Optional. Shown after the question is answered. Web addresses become links, and text in `backticks` is shown as code, also in questions and answers."
      />
    </>
  );
}

/** A button that changes the shape of the form: a script does it in the page, without one the server does. */
export function RowButton(of: { then: string; icon?: IconName; text?: string; label?: string }) {
  const { then, icon, text, label } = of;
  return (
    <button
      class="btn"
      data-variant="ghost"
      data-size="sm"
      name="then"
      value={then}
      aria-label={label}
      title={label}
    >
      {icon ? <Icon name={icon} /> : text}
    </button>
  );
}

function AnswerRow(of: {
  name: string;
  row: number;
  tick: ComponentChildren;
  text: { name: string; value: string; 'aria-label'?: string };
  children?: ComponentChildren;
}) {
  const { name, row, tick, text, children } = of;
  const errors = useForm().errorsOf(`${name}.answer.${row}`);
  const errorId = `${name}-answer-${row}-error`;
  const { value, ...attributes } = {
    'aria-label': `Answer ${row + 1}`,
    ...text,
    ...invalidBy(errors, errorId),
  };
  const lines = value.split('\n').length;
  return (
    <div class="answer-row">
      {tick}
      {lines > 1 ? (
        // An input would lose the lines of such an answer.
        <textarea class="textarea" rows={lines} {...attributes}>
          {value}
        </textarea>
      ) : (
        <input class="input" type="text" autocomplete="off" value={value} {...attributes} />
      )}
      <span class="buttons">{children}</span>
      <FieldErrors errors={errors} id={errorId} />
    </div>
  );
}
