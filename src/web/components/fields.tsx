import type { ComponentChildren } from 'preact';
import type { Form } from '../http/form';
import { Icon } from './icon';

interface Shared {
  form: Form;
  name: string;
  label: string;
  /** One line below the field. */
  help?: ComponentChildren;
  /** What the field holds before anything was typed. */
  initial?: string;
}

/** Attributes of the element itself. */
interface Extras {
  required?: boolean;
  maxLength?: number;
  placeholder?: string;
  autocomplete?: string;
  autofocus?: boolean;
  /** Id of a datalist with suggestions. */
  list?: string;
}

/** A line of text with its label, its help and the sentences about it. A password is never shown again. */
export function TextField({
  form,
  name,
  label,
  help,
  initial = '',
  type = 'text',
  ...rest
}: Shared &
  Extras & { type?: 'text' | 'email' | 'password' | 'url' | 'search' | 'datetime-local' }) {
  const typed = form.text(name) || (form.errors.length > 0 ? '' : initial);
  return (
    <FieldBox {...{ form, name, label, help }}>
      <input
        class="input"
        // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-assertion -- Preact's types know one element for each type
        type={type as 'text'}
        value={type === 'password' ? undefined : typed}
        {...described(form, name, help)}
        {...rest}
      />
    </FieldBox>
  );
}

/** Text of several lines. */
export function TextArea({
  form,
  name,
  label,
  help,
  initial = '',
  rows = 3,
  ...rest
}: Shared & Omit<Extras, 'autocomplete'> & { rows?: number }) {
  return (
    <FieldBox {...{ form, name, label, help }}>
      <textarea class="textarea" rows={rows} {...described(form, name, help)} {...rest}>
        {form.text(name) || (form.errors.length > 0 ? '' : initial)}
      </textarea>
    </FieldBox>
  );
}

/** One of a few. */
export function SelectField({
  form,
  name,
  label,
  help,
  initial,
  options,
}: Shared & { options: readonly { value: string; label: string }[] }) {
  const chosen = form.text(name) || initial;
  return (
    <FieldBox {...{ form, name, label, help }}>
      <select class="select" {...described(form, name, help)}>
        {options.map(({ value, label: text }) => (
          <option key={value} value={value} selected={value === chosen}>
            {text}
          </option>
        ))}
      </select>
    </FieldBox>
  );
}

/** A file to be sent. A script says at once when it is too large; the server says so in any case. */
export function FileField({
  form,
  name,
  label,
  help,
  largest,
}: Omit<Shared, 'initial'> & { /** Bytes. */ largest: number }) {
  return (
    <FieldBox {...{ form, name, label, help }}>
      <input class="input" type="file" data-largest={largest} {...described(form, name, help)} />
    </FieldBox>
  );
}

/** The sentences about the form as a whole; nothing where there are none. */
export function FormErrors({ form }: { form: Form }) {
  const errors = form.errorsOf('');
  if (errors.length === 0) return null;
  return (
    <div class="form-errors" role="alert">
      <Icon name="warning" />
      <div>
        {errors.map((error) => (
          <p key={error}>{error}</p>
        ))}
      </div>
    </div>
  );
}

function FieldBox({
  form,
  name,
  label,
  help,
  children,
}: Pick<Shared, 'form' | 'name' | 'label' | 'help'> & { children: ComponentChildren }) {
  const errors = form.errorsOf(name);
  return (
    <div class="field" data-invalid={errors.length > 0 ? 'true' : undefined}>
      <label for={idOf(name)}>{label}</label>
      {children}
      {errors.length > 0 && (
        <p class="field-error" id={`${idOf(name)}-error`}>
          {errors.join(' ')}
        </p>
      )}
      {help && (
        <p class="field-help" id={`${idOf(name)}-help`}>
          {help}
        </p>
      )}
    </div>
  );
}

const idOf = (name: string) => `field-${name.replace(/[^\w-]+/g, '-')}`;

function described(form: Form, name: string, help: ComponentChildren) {
  const invalid = form.errorsOf(name).length > 0;
  const about = [invalid && `${idOf(name)}-error`, help && `${idOf(name)}-help`].filter(Boolean);
  return {
    id: idOf(name),
    name,
    'aria-invalid': invalid ? ('true' as const) : undefined,
    'aria-describedby': about.length > 0 ? about.join(' ') : undefined,
  };
}

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

/** Hidden version field (optimistic lock). After a conflict warning, resubmitting overwrites. */
export function VersionField({ form, version }: { form: Form; version: string }) {
  const seen = form.status === 409 && form.errors.length > 0 ? version : form.text('version');
  return <input type="hidden" name="version" value={seen} />;
}
