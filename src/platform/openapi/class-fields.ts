import { getMetadataStorage } from 'class-validator';
import type { ClassConstructor } from 'class-transformer';
import { object, type Schema } from './schema';

/** What the code does not say of a field: its meaning, an example, and rules that are not of one field alone. */
export interface FieldWords extends Schema {
  description: string;
}

/** One for each field of the class: the compiler asks for those that are missing. */
export type WordsFor<T> = { [Field in keyof T]-?: FieldWords };

/** A parameter of a query. */
export interface QueryParameter {
  name: string;
  required: boolean;
  schema: Schema;
}

/** The body that a class with class-validator's decorators accepts. */
export function bodyOf<T extends object>(
  shape: ClassConstructor<T>,
  words: WordsFor<T>,
  description?: string,
): Schema {
  const fields = fieldsOf(shape, words);
  return object(Object.fromEntries(fields.map(({ name, schema }) => [name, schema])), {
    optional: fields.filter(({ required }) => !required).map(({ name }) => name),
    ...(description !== undefined && { description }),
  });
}

/** The query that such a class accepts. Lists are separated by commas. */
export function queryOf<T extends object>(
  shape: ClassConstructor<T>,
  words: WordsFor<T>,
): QueryParameter[] {
  return fieldsOf(shape, words).map((field) => ({
    ...field,
    // A query has no null, unless the words say that it is written out.
    schema: {
      ...field.schema,
      type: words[field.name as keyof T].type ?? [field.schema.type ?? []].flat()[0],
    },
  }));
}

function fieldsOf<T extends object>(
  shape: ClassConstructor<T>,
  words: WordsFor<T>,
): QueryParameter[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false);
  const defaults = new shape() as Record<string, unknown>;
  return Object.entries<FieldWords>(words).map(([name, said]) => {
    const own = rules.filter((rule) => rule.propertyName === name);
    if (own.length === 0) throw new Error(`${shape.name}.${name} has no rules, and so is no field`);
    const preset = defaults[name];
    const optional = own.some(({ type }) => type === 'conditionalValidation');
    const schema: Schema = Object.assign({}, ...own.toReversed().map(schemaOf)) as Schema;
    // What is said of text in a list is a rule of its items, which the words describe.
    if (schema.type === 'array')
      for (const ofText of ['minLength', 'maxLength', 'pattern'] as const) delete schema[ofText];
    if (own.some((rule) => rule.name === 'isOptional'))
      schema.type = [...[schema.type ?? []].flat(), 'null'];
    if (preset !== undefined && !Array.isArray(preset)) schema.default = preset;
    const { description, examples, ...more } = said;
    return {
      name,
      required: !optional && preset === undefined,
      schema: { ...schema, description, ...more, ...(examples && { examples }) },
    };
  });
}

type Rule = { name?: string; type: string; each?: boolean; constraints?: unknown[] };

/** What one decorator says, in the words of JSON Schema. */
function schemaOf(rule: Rule): Schema {
  const { each, ...once } = rule;
  if (each) return { type: 'array', items: schemaOf(once) };
  const [first] = rule.constraints ?? [];
  switch (rule.name) {
    case 'isString':
      return { type: 'string' };
    case 'isBoolean':
      return { type: 'boolean' };
    case 'isArray':
      return { type: 'array', items: { type: 'string' } };
    case 'isIn':
      return (first as unknown[]).every((value) => typeof value === 'boolean')
        ? { type: 'boolean' }
        : { type: 'string', enum: first as unknown[] };
    case 'min':
      return { type: 'integer', minimum: first as number };
    case 'max':
      return { type: 'integer', maximum: first as number };
    case 'arrayMinSize':
      return { type: 'array', minItems: first as number };
    case 'arrayMaxSize':
      return { type: 'array', maxItems: first as number };
    case 'tooLong':
      return { type: 'string', maxLength: first as number };
    case 'blank':
      return { type: 'string', minLength: 1, pattern: '\\S' };
    case 'isNotEmpty':
      return { type: 'string', minLength: 1 };
    default:
      return {};
  }
}
