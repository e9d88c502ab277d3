import { Icon } from '../../components/button';
import { useForm } from '../../components/fields';
import { useMessages } from '../../http/page-context';
import { QuestionFields, RowButton } from './question-fields';
import { correctTexts, isFinished } from './question-form';

/** In one line, a picture is what it shows; editor.js does the same. markdown.js escapes the signs. */
const described = (text: string) =>
  text.replace(/!\[((?:\\.|[^[\]\\])*)\]\(media:[\w-]*\)/g, (_, alt: string) =>
    alt.replace(/\\([\\[\]`&<])/g, '$1'),
  );

/** A question of the editor: finished ones are folded to their text and their correct answers. */
export function EditedQuestion({ name, number }: { name: string; number: number }) {
  const { t } = useMessages();
  const form = useForm();
  const correct = described(correctTexts(form, name).join(', '));
  const isRefused = form.errors.some(({ path }) => path.startsWith(`${name}.`));
  const isFocused = form.text('focus') === `${name}.text`;
  return (
    <li
      class="panel question-fields"
      data-key={name}
      aria-label={t('editor.questionNumber', { number })}
    >
      <input type="hidden" name="question" value={name} />
      <input type="hidden" name={`${name}.id`} value={form.text(`${name}.id`)} />
      <details class="fold" open={isRefused || isFocused || !isFinished(form, name)}>
        <summary>
          <span class="grip" aria-hidden="true">
            <Icon name="grip" />
          </span>
          <h2>
            <span>{t('player.question')}</span> <span class="figure">{number}</span>
          </h2>
          <span class="folded" dir="auto">
            {described(form.text(`${name}.text`))}
          </span>
          <span
            data-correct={t('result.correct')}
            data-none={t('editor.noCorrect')}
            class="folded folded-key"
            dir="auto"
          >
            {correct}
          </span>
        </summary>
        <div class="form wide">
          <QuestionFields name={name} />
          <div class="buttons" role="toolbar" aria-label={t('editor.change', { number })}>
            <RowButton then={`up ${name}`} icon="up" label={t('editor.moveUp', { number })} />
            <RowButton then={`down ${name}`} icon="down" label={t('editor.moveDown', { number })} />
            <RowButton
              then={`copy ${name}`}
              icon="copy"
              text={t('do.duplicate')}
              label={t('editor.duplicate', { number })}
            />
            <RowButton
              then={`remove ${name}`}
              icon="cross"
              text={t('do.remove')}
              label={t('editor.remove', { number })}
            />
          </div>
        </div>
      </details>
    </li>
  );
}
