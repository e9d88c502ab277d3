import type { Form } from '../http/form';

/** Any number of a few, each with a line of what it means. */
export function CheckboxList({
  form,
  name,
  label,
  options,
  initial = [],
}: {
  form: Form;
  name: string;
  label: string;
  options: readonly { value: string; label: string; help?: string }[];
  /** What is chosen before anything was. */
  initial?: readonly string[];
}) {
  const chosen = form.errors.length > 0 ? form.all(name) : initial;
  const errors = form.errorsOf(name);
  const errorId = `field-${name}-error`;
  return (
    <fieldset class="choices">
      <legend>{label}</legend>
      {errors.length > 0 && (
        <p class="field-error" id={errorId}>
          {errors.join(' ')}
        </p>
      )}
      {options.map((option) => (
        <label key={option.value} class="choice">
          <input
            type="checkbox"
            name={name}
            value={option.value}
            checked={chosen.includes(option.value)}
            aria-invalid={errors.length > 0 ? 'true' : undefined}
            aria-describedby={errors.length > 0 ? errorId : undefined}
          />
          <span>
            <span class="choice-label">{option.label}</span>
            {option.help && <small>{option.help}</small>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
