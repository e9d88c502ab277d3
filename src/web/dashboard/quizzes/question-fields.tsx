import type { ComponentChildren } from 'preact';
import { QUESTION_FORMATS, QUESTION_TYPES } from '../../../catalog/vocabulary';
import { PICTURE_FILE } from '../../../media/media.dto';
import { translated } from '../../../platform/messages/refusals';
import { Icon, type IconName } from '../../components/button';
import { FieldErrors, invalidBy, SelectField, TextInput, useForm } from '../../components/fields';
import { Textarea } from '../../components/textarea';
import { assetPath } from '../../http/assets';
import { useMessages } from '../../http/page-context';
import { MOST_QUESTIONS, MOST_ROWS } from './question-form';
import { labelledBy, useDifficulties } from './quiz-parts';

/** In the head of a page with questions to write. */
export const EditorAssets = () => (
  <>
    <link rel="stylesheet" href={assetPath('editorStyles')} />
    <script defer src={assetPath('markdownScript')}></script>
    <script defer src={assetPath('editorScript')}></script>
  </>
);

type Tool = 'picture' | 'formula' | 'bold' | 'italic' | 'code' | 'block';

/** They write Markdown into the text that has the focus. */
const TOOLS: [tool: Tool, icon: IconName, keys?: string][] = [
  ['picture', 'picture'],
  ['formula', 'sigma'],
  ['bold', 'bold', 'Control+B'],
  ['italic', 'italic', 'Control+I'],
  ['code', 'code', 'Control+E'],
  ['block', 'codeBlock'],
];

/** The script puts the buttons into every question: a hundred of them would make the page half as large again. */
const Tools = () => {
  const messages = useMessages();
  const { t } = messages;
  return (
    <template
      data-tools
      data-largest={PICTURE_FILE.most}
      data-too-large={translated(PICTURE_FILE.tooLarge().message, messages)}
    >
      {TOOLS.map(([tool, icon, keys]) => (
        <button
          type="button"
          class="btn"
          data-variant="ghost"
          data-size="sm"
          data-tool={tool}
          aria-label={t(`tool.${tool}`)}
          aria-keyshortcuts={keys}
          title={t(`tool.${tool}`)}
        >
          <Icon name={icon} />
        </button>
      ))}
      <button type="button" class="kind" data-tool="format" aria-pressed="false">
        {t('format.markdown')}
      </button>
    </template>
  );
};

/** What the scripts of the editor say; `{}` stands for a number or a name. */
const SCRIPT_WORDS = [
  'question',
  'answer',
  'movedUp',
  'movedDown',
  'pasted',
  'marked',
  'unmarked',
  'drag',
  'written',
  'writtenOne',
  'unsaved',
  'markdown',
  'plainAgain',
  'plainMarks',
  'plain',
  'previewOf',
  'signedOut',
  'tooLong',
  'previewFailed',
  'noPreview',
  'picture',
  'notSent',
  'signedOutPicture',
  'sending',
  'sendingPercent',
  'onlyFirst',
  'described',
  'describedHelp',
  'describe',
  'done',
  'removePicture',
  'waiting',
] as const;

function useScriptWords(): string {
  const { t } = useMessages();
  const words = SCRIPT_WORDS.map((name) => [name, t(`script.${name}`, { n: '{}' })]);
  return JSON.stringify(Object.fromEntries(words));
}

/** Said once, above all questions. The keys work with a script, which also says what they did. */
export const WritingHelp = () => {
  const { rich, t } = useMessages();
  return (
    <div class="writing-help muted small">
      <p>
        {rich('writing.help', {
          code: (text) => <code>{text}</code>,
          link: (text) => (
            <a class="link" href="/docs/guides/writing" target="_blank">
              {text}
            </a>
          ),
        })}
        <span class="by-script"> {t('writing.paste')}</span>
      </p>
      <details class="more keys by-script">
        <summary>{t('writing.shortcuts')}</summary>
        <p>{rich('writing.keys', { kbd: (text) => <kbd>{text}</kbd> })}</p>
      </details>
      <p
        class="sr-only"
        role="status"
        data-said
        data-words={useScriptWords()}
        data-most-answers={MOST_ROWS}
        data-most-questions={MOST_QUESTIONS}
      />
      <Tools />
    </div>
  );
};

/** The fields of a question: what they hold is in the form. CSS shows those of the chosen kind. */
export function QuestionFields({ name }: { name: string }) {
  const messages = useMessages();
  const { t } = messages;
  const form = useForm();
  const isTruth = form.text(`${name}.type`) === 'TRUE_FALSE';
  const isUnticked = form.errors.some(
    ({ path, code }) => path === `${name}.answers` && code === 'unticked',
  );
  const errors = form.errorsOf(`${name}.answers`, messages);
  const errorId = `${name}-answers-error`;
  const texts = form.all(`${name}.answer`).slice(0, MOST_ROWS);
  const gap = Math.max(texts.indexOf(''), 0);
  const options = form.all(`${name}.option`);
  const blank = options.findIndex((text) => text.trim() === '');
  // The first field that would correct it gets the focus. Those of the other kind are hidden, and cannot have it.
  const invalid = (is: boolean) => (is ? invalidBy(errors, errorId) : false);
  return (
    <>
      <TextInput
        name={`${name}.text`}
        label={t('player.question')}
        placeholder={t('player.question')}
        rows={2}
        autofocus={form.text('focus') === `${name}.text`}
      />
      <div class="tools" role="toolbar" aria-label={t('editor.tools')} />
      <p class="tools-note muted small" />
      <Kinds name={name} />
      <fieldset class="choices listed">
        <legend>
          <span class="of-choice">{t('editor.answers')}</span>
          <span class="of-open">{t('editor.accepted')}</span>
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
                aria-label={t('answer.isCorrect', { number: row + 1 })}
                {...invalid(!isTruth && isUnticked && row === 0)}
              />
            }
            text={{
              name: `${name}.answer`,
              value: text,
              ...invalid(!isTruth && !isUnticked && row === gap),
            }}
            isShown={!isTruth}
          >
            <RowButton
              then={`answer-up ${name} ${row}`}
              icon="up"
              label={t('answer.moveUp', { number: row + 1 })}
            />
            <RowButton
              then={`answer-remove ${name} ${row}`}
              icon="cross"
              label={t('answer.remove', { number: row + 1 })}
            />
          </AnswerRow>
        ))}
        <div class="answer-add">
          <RowButton then={`answer ${name}`} icon="plus" text={t('editor.addAnswer')} />
        </div>
        <WrongAnswers name={name} />
      </fieldset>
      <fieldset class="choices truth">
        <legend>{t('editor.choose')}</legend>
        {isTruth && <FieldErrors errors={errors} id={errorId} />}
        {options.map((text, row) => (
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
                aria-label={t('answer.textIsCorrect', { text })}
                {...invalid(isTruth && row === 0 && (isUnticked || blank < 0))}
              />
            }
            text={{
              name: `${name}.option`,
              value: text,
              'aria-label': t('answer.choice', { number: row + 1 }),
              ...invalid(isTruth && !isUnticked && row === blank),
            }}
            isShown={isTruth}
          />
        ))}
      </fieldset>
      <More name={name} />
    </>
  );
}

/** What an open question lists as wrong: such answers are written by the API or a file, and stay. */
function WrongAnswers({ name }: { name: string }) {
  const { t } = useMessages();
  const texts = useForm().all(`${name}.wrong`).slice(0, MOST_ROWS);
  if (texts.length === 0) return null;
  return (
    <p class="wrong-answers of-open muted small">
      {t('editor.wrong', { answers: texts.join(', ') })}
      {texts.map((text) => (
        <input type="hidden" name={`${name}.wrong`} value={text} />
      ))}
    </p>
  );
}

/** One click each: a list to open would take two. */
function Kinds({ name }: { name: string }) {
  const messages = useMessages();
  const { t } = messages;
  const form = useForm();
  const errors = form.errorsOf(`${name}.type`, messages);
  const errorId = `${name}-type-error`;
  return (
    <fieldset class="kinds">
      <legend class="sr-only">{t('editor.kind')}</legend>
      {labelledBy(QUESTION_TYPES, (type) => t(`type.${type}`)).map(({ value, label }) => (
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
  const messages = useMessages();
  const { t } = messages;
  const form = useForm();
  const isUsed = form.text(`${name}.explanation`) !== '';
  const isRefused = ['explanation', 'difficulty', 'format'].some(
    (part) => form.errorsOf(`${name}.${part}`, messages).length > 0,
  );
  return (
    <details class="more" open={isUsed || isRefused}>
      <summary>{t('editor.more')}</summary>
      <div class="form wide inner">
        <TextInput
          name={`${name}.explanation`}
          label={t('editor.explanation')}
          rows={2}
          help={t('editor.explanationHelp')}
        />
        <SelectField
          name={`${name}.difficulty`}
          label={t('catalogue.difficulty')}
          options={useDifficulties()}
        />
        <SelectField
          name={`${name}.format`}
          label={t('editor.format')}
          options={labelledBy(QUESTION_FORMATS, (it) => t(`format.${it}`))}
        />
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
  isShown,
  children,
}: {
  name: string;
  row: number;
  tick: ComponentChildren;
  text: { name: string; value: string; 'aria-label'?: string };
  /** Whether it is of the chosen kind. The row of the other kind has the same errors, and would repeat their id. */
  isShown: boolean;
  children?: ComponentChildren;
}) {
  const messages = useMessages();
  const { t } = messages;
  const form = useForm();
  const errors = isShown ? form.errorsOf(`${name}.answer.${row}`, messages) : [];
  const errorId = `${name}-answer-${row}-error`;
  const { value, ...attributes } = {
    'aria-label': t('answer.row', { number: row + 1 }),
    placeholder: t('editor.answer'),
    ...text,
    ...invalidBy(errors, errorId),
  };
  const lines = value.split('\n').length;
  return (
    <div class="answer-row">
      {lines > 1 ? (
        // An input would lose the lines of such an answer.
        <Textarea class="answer" rows={lines} value={value} {...attributes} />
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
