import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { Form } from '../http/form';
import { useMessages } from '../http/page-context';
import { Icon } from './button';
import { Textarea } from './textarea';

const FormContext = createContext(new Form());

/** Characters of a text that a list is searched for. */
export const LONGEST_SEARCH = 200;

/** The form around a field: what was typed, and its errors. */
export const useForm = (): Form => useContext(FormContext);

/** Provides the form to its fields, and shows the errors of the form as a whole above them. */
export function FormScope({ form, children }: { form: Form; children: ComponentChildren }) {
  const errors = form.errorsOf('', useMessages());
  return (
    <FormContext.Provider value={form}>
      {errors.length > 0 && (
        <div class="form-errors" role="alert" tabIndex={-1}>
          <Icon name="warning" />
          <div>
            {errors.map((error) => (
              <p>{error}</p>
            ))}
          </div>
        </div>
      )}
      {children}
    </FormContext.Provider>
  );
}

/**
 * A form that is posted, with its fields and its button as children. Going back, a browser would fill it in again by the
 * names of fields, which number questions by their places: the ticks of one would stand at another.
 */
export function PostForm({
  form,
  class: className = 'form',
  children,
  ...attributes
}: {
  form: Form;
  action?: string;
  class?: string;
  enctype?: 'multipart/form-data';
  children: ComponentChildren;
}) {
  return (
    <form method="post" autocomplete="off" class={className} {...attributes}>
      <FormScope form={form}>{children}</FormScope>
    </form>
  );
}

interface FieldProps {
  name: string;
  label: string;
  /** One line below the field. */
  help?: ComponentChildren;
  required?: boolean;
}

interface TextProps extends FieldProps {
  /** The field's value before anything was typed. */
  initial?: string;
  /** Characters, as services count them: see `maxLengthOf`. A search ends there instead. */
  maxLength?: number;
  placeholder?: string;
  /** Off by default: browsers would suggest the texts of other quizzes. */
  autocomplete?: string;
  autofocus?: boolean;
  list?: string;
  type?: 'text' | 'search' | 'email' | 'password' | 'datetime-local' | 'file';
  rows?: number;
  inputMode?: 'numeric' | 'decimal';
  'data-largest'?: number;
  /** The message for a larger file. */
  'data-too-large'?: string;
  'aria-keyshortcuts'?: string;
}

/**
 * The `maxlength` of a text that a service limits to a number of characters. Browsers count an emoji as two, so nothing
 * that is allowed is cut off, and the service reports what is too long.
 */
export const maxLengthOf = (characters: number): number => 2 * characters;

const idOf = (name: string) => `field-${name.replace(/[^\w-]+/g, '-')}`;

/** A label, the control, and the help and errors about it. */
function Field({
  name,
  label,
  help,
  required,
  children,
}: FieldProps & { children: (attributes: object) => ComponentChildren }) {
  const messages = useMessages();
  const { t } = messages;
  const id = idOf(name);
  const errors = useForm().errorsOf(name, messages);
  const invalid = errors.length > 0;
  const describedBy = [invalid && `${id}-error`, help && `${id}-help`].filter(Boolean).join(' ');
  return (
    <div class="field" data-invalid={invalid ? 'true' : undefined}>
      <label for={id} data-required={required ? t('field.required') : undefined}>
        {label}
      </label>
      {children({
        id,
        name,
        required,
        'aria-invalid': invalid ? 'true' : undefined,
        'aria-describedby': describedBy || undefined,
      })}
      <FieldErrors errors={errors} id={`${id}-error`} />
      {help && (
        <p class="field-help" id={`${id}-help`}>
          {help}
        </p>
      )}
    </div>
  );
}

/** Attributes of a field with errors; the errors have the id `id`. */
export const invalidBy = (errors: string[], id: string) =>
  errors.length > 0 && ({ 'aria-invalid': 'true', 'aria-describedby': id } as const);

/** The errors of a field; nothing if there are none. */
export function FieldErrors({ errors, id }: { errors: string[]; id: string }) {
  if (errors.length === 0) return null;
  return (
    <p class="field-error" id={id}>
      {errors.join(' ')}
    </p>
  );
}

/**
 * A line of text, several if `rows` is given, or a file: a script reports at once that a file has more than
 * `data-largest` bytes. A password is never shown again.
 */
export function TextInput({ initial = '', type = 'text', rows, ...field }: TextProps) {
  const { name, label, help, required, autocomplete = 'off', maxLength, ...others } = field;
  // Searches ignore what is longer and report no error, so that the field must not take more.
  const most = type === 'search' ? maxLength : maxLength && maxLengthOf(maxLength);
  const rest = { autocomplete, maxLength: most, ...others };
  const form = useForm();
  const typed = form.has(name) ? form.text(name) : initial;
  const isShown = type !== 'password' && type !== 'file';
  return (
    <Field {...{ name, label, help, required }}>
      {(attributes) =>
        rows ? (
          <Textarea class="textarea" rows={rows} value={typed} {...attributes} {...rest} />
        ) : (
          <input
            class="input"
            // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-assertion -- Preact's types know one element for each type
            type={type as 'text'}
            value={isShown ? typed : undefined}
            {...attributes}
            {...rest}
          />
        )
      }
    </Field>
  );
}

/** A choice of a form: its value and its label. */
export interface Option {
  value: string;
  label: string;
}

/** The choices from a table of labels. */
export const optionsOf = <T extends string>(labels: Record<T, string>): Option[] =>
  Object.entries<string>(labels).map(([value, label]) => ({ value, label }));

export function SelectField({
  initial,
  options,
  ...field
}: FieldProps & { initial?: string; options: readonly Option[] }) {
  const form = useForm();
  const chosen = form.has(field.name) ? form.text(field.name) : initial;
  return (
    <Field {...field}>
      {(attributes) => <Select chosen={chosen} options={options} {...attributes} />}
    </Field>
  );
}

interface SelectProps {
  chosen?: string;
  options: readonly Option[];
  name?: string;
  /** The id of the form, if the select is outside it. */
  form?: string;
  required?: true;
  'aria-label'?: string;
}

/** The select alone, for forms without visible labels. */
export function Select({ chosen, options, ...attributes }: SelectProps) {
  return (
    <select class="select" {...attributes}>
      {options.map(({ value, label }) => (
        <option value={value} selected={value === chosen}>
          {label}
        </option>
      ))}
    </select>
  );
}

/**
 * The filter of a list by category. The chosen one is shown even if no quiz has it (any more): it is why the list is empty.
 */
export function CategoryFilter({
  chosen,
  categories,
}: {
  chosen: string;
  categories: readonly Option[];
}) {
  const { t } = useMessages();
  const isListed = chosen === '' || categories.some(({ value }) => value === chosen);
  return (
    <Select
      name="category"
      aria-label={t('field.category')}
      chosen={chosen}
      options={[
        { value: '', label: t('list.anyCategory') },
        ...(isListed ? [] : [{ value: chosen, label: chosen }]),
        ...categories,
      ]}
    />
  );
}

/** Any number of a few choices, each with a line of explanation. */
export function CheckboxList({
  name,
  label,
  options,
  initial = [],
}: {
  name: string;
  label: string;
  options: readonly (Option & { help?: ComponentChildren })[];
  initial?: readonly string[];
}) {
  const messages = useMessages();
  const form = useForm();
  // Unticked boxes send nothing, so an absent field may have been sent.
  const chosen = form.isBlank ? initial : form.all(name);
  const errors = form.errorsOf(name, messages);
  const errorId = `${idOf(name)}-error`;
  return (
    <fieldset class="choices">
      <legend>{label}</legend>
      <FieldErrors errors={errors} id={errorId} />
      {options.map((option) => (
        <label class="choice">
          <input
            class="input"
            type="checkbox"
            name={name}
            value={option.value}
            checked={chosen.includes(option.value)}
            {...invalidBy(errors, errorId)}
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
export function VersionField({ version }: { version: string }) {
  const form = useForm();
  const conflict = form.status === 409 && form.errors.length > 0;
  const seen = form.isBlank || conflict ? version : form.text('version');
  return <input type="hidden" name="version" value={seen} />;
}
