import type { ComponentChildren } from 'preact';
import type { Schema } from '../../platform/openapi/openapi-objects';
import { Text } from './code';
import { fieldsOf } from './reference.model';

/** The fields of an object, with the fields of nested objects collapsed. */
export function Fields({
  schema,
  isRequest = false,
  anchor,
  depth = 0,
}: {
  schema: Schema;
  /** Whether the reader sends it: then required fields are marked. */
  isRequest?: boolean;
  /** The prefix of the fields' anchors. */
  anchor?: string;
  depth?: number;
}) {
  if (schema.anyOf)
    return (
      <>
        {schema.anyOf.map((one, index) => (
          <div key={index} class="either">
            <p class="either-title muted">{index === 0 ? 'Either' : 'or'}</p>
            <Fields schema={one} isRequest={isRequest} depth={depth} />
          </div>
        ))}
      </>
    );
  return (
    <ul class="fields">
      {fieldsOf(schema).map(({ name, schema: field, required }) => {
        const inner = [field, field.items].find((it) => it?.properties ?? it?.anyOf);
        return (
          <SchemaField
            key={name}
            {...{ name, anchor, schema: field }}
            required={required ? isRequest || null : false}
          >
            {inner && (
              <details class="inner" open={depth === 0 && name === 'data'}>
                <summary>
                  {field.items ? 'Fields of each item' : 'Fields'}{' '}
                  <span class="sr-only">of {name}</span>
                </summary>
                <Fields schema={inner} isRequest={isRequest} depth={depth + 1} />
              </details>
            )}
          </SchemaField>
        );
      })}
    </ul>
  );
}

/** One field or parameter: its name, type and rules, and its meaning. */
export function SchemaField({
  name,
  anchor,
  schema,
  required,
  description = schema.description,
  children,
}: {
  name: string;
  anchor?: string | undefined;
  schema: Schema;
  /** null: shown neither as required nor as optional. */
  required: boolean | null;
  description?: string;
  children?: ComponentChildren;
}) {
  const rules = rulesOf(schema);
  return (
    <li id={anchor && `${anchor}.${name}`}>
      <div class="field-line">
        <code class="field-name">{name}</code>
        <span class="field-type">{typeOf(schema)}</span>
        {required === false && <span class="field-need">optional</span>}
        {required === true && <span class="field-need required">required</span>}
      </div>
      {description && (
        <p>
          <Text of={description} />
        </p>
      )}
      {rules && <p class="field-rules muted">{rules}</p>}
      {children}
    </li>
  );
}

/** `array of QuizListItem`, `string or null` */
function typeOf({ type = 'object', title, items }: Schema): string {
  const names = [type].flat().map((it) => {
    if (it === 'array' && items) return `array of ${typeOf(items)}`;
    return it === 'null' ? it : (title ?? it);
  });
  return names.join(' or ');
}

/** A value of the document, as people write it. */
export const shown = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

/** `one of: EASY, MEDIUM · default 10 · 1 to 50` */
function rulesOf(field: Schema): string {
  const { items } = field;
  const values = (field.enum ?? items?.enum)?.filter((it) => it !== null);
  const only = field.const ?? (field.enum?.length === 1 ? field.enum[0] : undefined);
  const each = items && range(items.minLength, items.maxLength, 'character');
  return [
    only !== undefined && `always ${shown(only)}`,
    values && values.length > 1 && `one of: ${values.map(shown).join(', ')}`,
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
  // The largest integer is not a limit worth showing.
  const top = most !== undefined && most < 1e12 ? most.toLocaleString('en') : undefined;
  const word = unit && ` ${unit}${(most ?? least) === 1 ? '' : 's'}`;
  if (least !== undefined && top !== undefined) return `${least} to ${top}${word}`;
  if (top !== undefined) return `at most ${top}${word}`;
  return least !== undefined ? `at least ${least}${word}` : '';
}
