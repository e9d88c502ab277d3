// Whatever is loaded first: without it, decorators record no types of fields.
import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import type * as Swagger from '@nestjs/swagger';
import type { HeaderObject, Schema } from './openapi-objects';

type AnyDecorator = MethodDecorator & PropertyDecorator;

const waiting: ((swagger: typeof Swagger) => void)[] = [];

/**
 * Applies decorators of @nestjs/swagger when the document is first requested: loading the library takes 130 ms,
 * which no start, worker or command should have to spend.
 */
export const Described =
  (
    decorators: (
      swagger: typeof Swagger,
      target: object,
      key: string | symbol,
    ) => (MethodDecorator | PropertyDecorator)[],
  ): AnyDecorator =>
  (target: object, key: string | symbol, descriptor?: unknown) => {
    waiting.push((swagger) => {
      for (const decorate of decorators(swagger, target, key))
        (decorate as (...to: unknown[]) => void)(target, key, descriptor);
    });
  };

/** The library, with everything described so far. Null in production, where it is not installed. */
export function loadSwagger(): typeof Swagger | null {
  try {
    require.resolve('@nestjs/swagger');
  } catch {
    return null;
  }
  // Not an import: those are loaded at every start.
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const swagger = require('@nestjs/swagger') as typeof Swagger;
  for (const describe of waiting.splice(0)) describe(swagger);
  return swagger;
}

/** A field's description in the document, in addition to its validation rules. */
export interface FieldDescription {
  description?: string;
  example?: unknown;
}

export interface FieldSchema extends FieldDescription, Omit<Schema, 'type' | 'required'> {
  type?: string | Type | [Type];
  optional?: boolean;
}

/** A field in the document. Its default is the value that the class assigns. */
export const Field = ({ optional = false, example, ...schema }: FieldSchema) =>
  Described(({ ApiProperty }, target, key) => {
    const preset = new (target.constructor as new () => Record<string | symbol, unknown>)()[key];
    return [
      ApiProperty({
        ...schema,
        ...(preset !== undefined && !Array.isArray(preset) && { default: preset }),
        ...(example !== undefined && { examples: [example] }),
        required: !optional && preset === undefined,
      } as object),
    ];
  });

/** Decorators for the fields of responses: what the field means, and an example. */
export const Text = (description: string, example: string | null, rules: FieldSchema = {}) =>
  Field({ type: 'string', description, ...rules, example });

export const TextOrNull = (description: string, example: string | null, rules?: FieldSchema) =>
  Text(description, example, { ...rules, nullable: true });

export const Whole = (description: string, example: number, rules: FieldSchema = {}) =>
  Field({ type: 'integer', description, ...rules, example });

export const Flag = (description: string, example: boolean) =>
  Field({ type: 'boolean', description, example });

export const Choice = (
  description: string,
  values: readonly string[],
  { example = values[0], ...rules }: FieldSchema = {},
) => Field({ type: 'string', description, enum: values, ...rules, example });

/** A list of texts, each described by `each`. */
export const Texts = (description: string, each: string, example: string, rules?: FieldSchema) =>
  Field({ type: 'array', description, ...rules, items: text(each, example) });

export const ListOf = (item: Type, description: string, rules: FieldSchema = {}) =>
  Field({ type: [item], description, ...rules });

export const Part = (type: Type, description?: string) =>
  Field({ type, ...(description !== undefined && { description }) });

/** A field whose schema is a named component. */
export const Named = (name: string) => Field({ allOf: [ref(name)] } as FieldSchema);

export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

export const text = (description: string, example: string, rules: Schema = {}): Schema => ({
  type: 'string',
  description,
  ...rules,
  examples: [example],
});

/** An object that has all of these fields. */
export const object = (properties: Record<string, Schema>): Schema => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});

/** A header of a response. */
export const header = (description: string, schema: Schema, required = true): HeaderObject => ({
  description,
  ...(required && { required }),
  schema,
});

export const wholeNumber = (example: number, rules: Schema = {}): Schema => ({
  type: 'integer',
  minimum: 0,
  ...rules,
  examples: [example],
});
