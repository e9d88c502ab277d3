import type { ComponentChildren } from 'preact';
import type { Schema } from '../../platform/openapi/openapi-objects';
import type { Reference } from './reference.model';
import { Text } from './code';

/** The fields of an object, those of the objects within it folded below. */
export function Fields({
  schema,
  reference,
  sent = false,
  depth = 0,
}: {
  schema: Schema;
  reference: Reference;
  /** By the reader: then what is required is worth a word. */
  sent?: boolean;
  depth?: number;
}) {
  const { properties = {}, required = [], anyOf } = reference.schema(schema);
  if (anyOf)
    return (
      <>
        {anyOf.map((one, index) => (
          <div key={index} class="either">
            <p class="either-title">{index === 0 ? 'Either' : 'or'}</p>
            <Fields schema={one} reference={reference} sent={sent} depth={depth} />
          </div>
        ))}
      </>
    );
  return (
    <ul class="fields">
      {Object.entries(properties).map(([name, of]) => {
        const field = reference.schema(of);
        const inner = innerOf(field, reference);
        return (
          <Field
            key={name}
            name={name}
            schema={of}
            reference={reference}
            required={required.includes(name) ? sent || null : false}
          >
            {inner && (
              <details class="inner" open={depth === 0 && name === 'data'}>
                <summary>
                  {field.items ? 'Fields of each item' : 'Fields'}{' '}
                  <span class="sr-only">of {name}</span>
                </summary>
                <Fields schema={inner} reference={reference} sent={sent} depth={depth + 1} />
              </details>
            )}
          </Field>
        );
      })}
    </ul>
  );
}

/** One field or parameter: its name, its type and rules, what it means. */
export function Field({
  name,
  schema,
  reference,
  required,
  description,
  children,
}: {
  name: string;
  schema: Schema;
  reference: Reference;
  /** null: not worth a word. */
  required: boolean | null;
  description?: string;
  children?: ComponentChildren;
}) {
  const field = reference.schema(schema);
  const words = description ?? field.description;
  const rules = rulesOf(field, reference);
  return (
    <li>
      <div class="field-line">
        <code class="field-name">{name}</code>
        <span class="field-type">{typeOf(field, reference)}</span>
        {required === false && <span class="field-need">optional</span>}
        {required === true && <span class="field-need required">required</span>}
      </div>
      {words && (
        <p>
          <Text of={words} />
        </p>
      )}
      {rules && <p class="field-rules">{rules}</p>}
      {children}
    </li>
  );
}

function innerOf(field: Schema, reference: Reference): Schema | null {
  if (field.properties || field.anyOf) return field;
  const items = field.items && reference.schema(field.items);
  return items?.properties || items?.anyOf ? items : null;
}

/** `array of QuizListItem`, `string or null` */
function typeOf(field: Schema & { name?: string }, reference: Reference): string {
  const types = [field.type ?? []].flat();
  const items = field.items && reference.schema(field.items);
  const names = types.map((type) => {
    if (type === 'array' && items) return `array of ${items.name ?? typeOf(items, reference)}`;
    return type === 'null' ? type : (field.name ?? type);
  });
  return names.join(' or ') || (field.name ?? 'object');
}

/** A value of the document, as people write it. */
export const shown = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

/** `one of: EASY, MEDIUM · default 10 · 1 to 50` */
function rulesOf(field: Schema, reference: Reference): string {
  const items = field.items && reference.schema(field.items);
  const values = field.enum ?? items?.enum;
  const each = items && range(items.minLength, items.maxLength, 'character');
  return [
    field.const !== undefined && `always ${shown(field.const)}`,
    values &&
      values.length > 1 &&
      `one of: ${values
        .filter((it) => it !== null)
        .map(shown)
        .join(', ')}`,
    range(field.minimum, field.maximum, ''),
    range(field.minLength, field.maxLength, 'character'),
    range(field.minItems, field.maxItems, 'item'),
    each && `each ${each}`,
    field.default !== undefined && `default ${shown(field.default)}`,
  ]
    .filter(Boolean)
    .join(' · ');
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  // The largest number of digits is no limit that anybody meets.
  const top = most !== undefined && most < 1e12 ? most.toLocaleString('en') : undefined;
  const word = unit && ` ${unit}${(most ?? least) === 1 ? '' : 's'}`;
  if (least !== undefined && top !== undefined) return `${least} to ${top}${word}`;
  if (top !== undefined) return `at most ${top}${word}`;
  return least !== undefined ? `at least ${least}${word}` : '';
}
