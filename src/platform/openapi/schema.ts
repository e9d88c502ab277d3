/** JSON Schema 2020-12, as far as the interface needs it. */
export interface Schema {
  type?: string | string[];
  description?: string;
  enum?: readonly unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  anyOf?: Schema[];
}

const names = new WeakMap<Schema, string>();

/** Gives a schema a name: wherever it is used, the document refers to it under `components/schemas`. */
export function named(name: string, schema: Schema): Schema {
  names.set(schema, name);
  return schema;
}

export const nameOf = (schema: Schema): string | undefined => names.get(schema);

export const text = (description: string, example: string, rules: Schema = {}): Schema => ({
  type: 'string',
  description,
  ...rules,
  examples: [example],
});

/** Of a number in a header, whose words stand beside it. */
export const wholeNumber = (example: number, rules: Schema = {}): Schema => ({
  type: 'integer',
  minimum: 0,
  ...rules,
  examples: [example],
});

export const integer = (description: string, example: number, rules: Schema = {}): Schema => ({
  type: 'integer',
  description,
  ...rules,
  examples: [example],
});

export const flag = (description: string, example: boolean): Schema => ({
  type: 'boolean',
  description,
  examples: [example],
});

export const choice = (description: string, of: readonly string[], example = of[0]): Schema => ({
  type: 'string',
  description,
  enum: of,
  examples: [example],
});

export const listOf = (description: string, items: Schema, rules: Schema = {}): Schema => ({
  type: 'array',
  description,
  items,
  ...rules,
});

/** An object whose fields are all present, but for those named `optional`. */
export function object(
  properties: Record<string, Schema>,
  { optional = [], description }: { optional?: string[]; description?: string } = {},
): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return {
    type: 'object',
    ...(description !== undefined && { description }),
    ...(required.length > 0 && { required }),
    properties,
  };
}

/** The same, or null. */
export const orNull = (schema: Schema): Schema => ({
  ...schema,
  type: [...[schema.type ?? []].flat(), 'null'],
  ...(schema.enum && { enum: [...schema.enum, null] }),
});

/** Body of an answer: `{success: true, data}`, and `meta` for pages. */
export const success = (data: Schema, meta?: Schema): Schema =>
  object({ success: { type: 'boolean', const: true }, data, ...(meta && { meta }) });

/** A value that the schema accepts, made of the examples within it. */
export function exampleOf(schema: Schema): unknown {
  if (schema.examples) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.anyOf?.[0]) return exampleOf(schema.anyOf[0]);
  if (schema.enum) return schema.enum[0];
  if (schema.items) return [exampleOf(schema.items)];
  const fields = Object.entries(schema.properties ?? {});
  return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(field)]));
}
