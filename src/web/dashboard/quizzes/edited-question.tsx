import { Icon } from '../../components/button';
import { useForm } from '../../components/fields';
import { QuestionFields, RowButton } from './question-fields';
import { correctTexts, isFinished } from './question-form';

/** A question of the editor: finished ones are folded to their text and their correct answers. */
export function EditedQuestion({ name, number }: { name: string; number: number }) {
  const form = useForm();
  const correct = correctTexts(form, name).join(', ');
  const isRefused = form.errors.some(({ path }) => path.startsWith(`${name}.`));
  const isFocused = form.text('focus') === `${name}.text`;
  return (
    <li class="panel question-fields" data-key={name} aria-label={`Question ${number}`}>
      <input type="hidden" name="question" value={name} />
      <input type="hidden" name={`${name}.id`} value={form.text(`${name}.id`)} />
      <details class="fold" open={isRefused || isFocused || !isFinished(form, name)}>
        <summary>
          <span class="grip" aria-hidden="true">
            <Icon name="grip" />
          </span>
          <h2>
            <span>Question</span> <span class="figure">{number}</span>
          </h2>
          <span class="folded" dir="auto">
            {form.text(`${name}.text`)}
          </span>
          <span class="folded folded-key" dir="auto">
            {correct}
          </span>
        </summary>
        <div class="form wide">
          <QuestionFields name={name} />
          <div class="buttons" role="toolbar" aria-label={`Change question ${number}`}>
            <RowButton then={`up ${name}`} icon="up" label={`Move question ${number} up`} />
            <RowButton then={`down ${name}`} icon="down" label={`Move question ${number} down`} />
            <RowButton
              then={`copy ${name}`}
              icon="copy"
              text="Duplicate"
              label={`Duplicate question ${number}`}
            />
            <RowButton
              then={`remove ${name}`}
              icon="cross"
              text="Remove"
              label={`Remove question ${number}`}
            />
          </div>
        </div>
      </details>
    </li>
  );
}
