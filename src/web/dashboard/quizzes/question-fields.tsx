import type { ComponentChildren } from 'preact';
import { PICTURE_FILE } from '../../../media/media.dto';
import { Icon, type IconName } from '../../components/button';
import {
  FieldErrors,
  invalidBy,
  optionsOf,
  SelectField,
  TextInput,
  useForm,
} from '../../components/fields';
import { assetPath } from '../../http/assets';
import { MOST_ROWS } from './question-form';
import { DIFFICULTY_LABELS, FORMAT_LABELS, TYPE_LABELS } from './quiz-parts';

/** In the head of a page with questions to write. */
export const EditorAssets = () => (
  <>
    <link rel="stylesheet" href={assetPath('editorStyles')} />
    <script defer src={assetPath('markdownScript')}></script>
    <script defer src={assetPath('editorScript')}></script>
  </>
);

/** They write Markdown into the text that has the focus. */
const TOOLS: [tool: string, icon: IconName, label: string, keys?: string][] = [
  ['picture', 'picture', 'Picture'],
  ['formula', 'sigma', 'Formula'],
  ['bold', 'bold', 'Bold', 'Control+B'],
  ['italic', 'italic', 'Italic', 'Control+I'],
  ['code', 'code', 'Code', 'Control+E'],
  ['block', 'codeBlock', 'Code block'],
];

/** The script puts the buttons into every question: a hundred of them would make the page half as large again. */
const Tools = () => (
  <template
    data-tools
    data-largest={PICTURE_FILE.most}
    data-too-large={PICTURE_FILE.tooLarge().message}
  >
    {TOOLS.map(([tool, icon, label, keys]) => (
      <button
        type="button"
        class="btn"
        data-variant="ghost"
        data-size="sm"
        data-tool={tool}
        aria-label={label}
        aria-keyshortcuts={keys}
        title={label}
      >
        <Icon name={icon} />
      </button>
    ))}
    <button type="button" class="kind" data-tool="format" aria-pressed="false">
      {FORMAT_LABELS.markdown}
    </button>
  </template>
);

/** Said once, above all questions. The keys work with a script, which also says what they did. */
export const WritingHelp = () => (
  <div class="writing-help muted small">
    <p>
      Tick every correct answer. Text in <code>`backticks`</code> is shown as code;{' '}
      <a class="link" href={'/docs/guides/writing'} target="_blank">
        pictures, formulas and more
      </a>
      .
      <span class="by-script">
        {' '}
        Paste a list to get an answer for each line.
        <span class="keys">
          <kbd>Ctrl</kbd> <kbd>Enter</kbd> next question, <kbd>Alt</kbd> <kbd>1</kbd> answer 1 is
          correct, <kbd>Alt</kbd> <kbd>↑</kbd> move an answer or a question, <kbd>Alt</kbd>{' '}
          <kbd>F10</kbd> pictures and formulas
        </span>
      </span>
    </p>
    <p class="sr-only" role="status" data-said />
    <Tools />
  </div>
);

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
        placeholder="Question"
        rows={2}
        autofocus={form.text('focus') === `${name}.text`}
      />
      <div class="tools" role="toolbar" aria-label="Pictures and formatting" />
      <p class="tools-note muted small" />
      <Kinds name={name} />
      <fieldset class="choices listed">
        <legend>
          <span class="of-choice">Answers</span>
          <span class="of-open">Accepted answers: one is enough</span>
        </legend>
        {!isTruth && <FieldErrors errors={errors} id={errorId} />}
        {texts.map((text, row) => (
          <AnswerRow
            name={name}
            row={row}
            tick={
              <input
                class="tick of-choice"
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
        <div class="answer-add">
          <RowButton then={`answer ${name}`} icon="plus" text="Add another answer" />
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
                class="tick"
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
      <More name={name} />
    </>
  );
}

/** One click each: a list to open would take two. */
function Kinds({ name }: { name: string }) {
  const form = useForm();
  const errors = form.errorsOf(`${name}.type`);
  const errorId = `${name}-type-error`;
  return (
    <fieldset class="kinds">
      <legend class="sr-only">Kind</legend>
      {optionsOf(TYPE_LABELS).map(({ value, label }) => (
        <label class="kind">
          <input
            type="radio"
            name={`${name}.type`}
            value={value}
            checked={form.text(`${name}.type`) === value}
            {...invalidBy(errors, errorId)}
          />
          {label}
        </label>
      ))}
      <FieldErrors errors={errors} id={errorId} />
    </fieldset>
  );
}

/** What most questions do without. */
function More({ name }: { name: string }) {
  const form = useForm();
  const isUsed = form.text(`${name}.explanation`) !== '';
  const isRefused = ['explanation', 'difficulty', 'format'].some(
    (part) => form.errorsOf(`${name}.${part}`).length > 0,
  );
  return (
    <details class="more" open={isUsed || isRefused}>
      <summary>More: explanation, difficulty and format</summary>
      <div class="form wide inner">
        <TextInput
          name={`${name}.explanation`}
          label="Explanation"
          rows={2}
          help="Shown after the question is answered. Web addresses become links."
        />
        <SelectField
          name={`${name}.difficulty`}
          label="Difficulty"
          options={optionsOf(DIFFICULTY_LABELS)}
        />
        <SelectField name={`${name}.format`} label="Format" options={optionsOf(FORMAT_LABELS)} />
      </div>
    </details>
  );
}

/** A button that changes the shape of the form: a script does it in the page, without one the server does. */
export function RowButton({
  then,
  icon,
  text,
  label,
}: {
  then: string;
  icon?: IconName;
  text?: string;
  label?: string;
}) {
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
      {icon && <Icon name={icon} />}
      {text}
    </button>
  );
}

function AnswerRow({
  name,
  row,
  tick,
  text,
  children,
}: {
  name: string;
  row: number;
  tick: ComponentChildren;
  text: { name: string; value: string; 'aria-label'?: string };
  children?: ComponentChildren;
}) {
  const errors = useForm().errorsOf(`${name}.answer.${row}`);
  const errorId = `${name}-answer-${row}-error`;
  const { value, ...attributes } = {
    'aria-label': `Answer ${row + 1}`,
    placeholder: 'Answer',
    ...text,
    ...invalidBy(errors, errorId),
  };
  const lines = value.split('\n').length;
  return (
    <div class="answer-row">
      {lines > 1 ? (
        // An input would lose the lines of such an answer.
        <textarea class="answer" rows={lines} {...attributes}>
          {value}
        </textarea>
      ) : (
        <input class="answer" type="text" autocomplete="off" value={value} {...attributes} />
      )}
      {/* After the text, for the keyboard: what is written is marked next. */}
      {tick}
      <span class="buttons">{children}</span>
      <FieldErrors errors={errors} id={errorId} />
    </div>
  );
}
