// Whatever is loaded first: without it, decorators record no types of fields.
import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import type * as Swagger from '@nestjs/swagger';
import type { HeaderObject, Schema } from './openapi-objects';

type AnyDecorator = MethodDecorator & PropertyDecorator;
type Describe = (swagger: typeof Swagger) => void;

const waiting: Describe[] = [];

/**
 * Applies decorators of @nestjs/swagger when the document is generated: the library is a development dependency, and
 * loading it takes 130 ms.
 */
export const whenGenerated = (describe: Describe): unknown => waiting.push(describe);

/** Everything that decorators describe, once. */
export function describeAll(swagger: typeof Swagger): void {
  for (const describe of waiting.splice(0)) describe(swagger);
}

/** Decorators of a handler or a field that are applied when the document is generated. */
export const Described =
  (
    decorators: (
      swagger: typeof Swagger,
      target: object,
      key: string | symbol,
    ) => (MethodDecorator | PropertyDecorator)[],
  ): AnyDecorator =>
  (target: object, key: string | symbol, descriptor?: unknown) => {
    whenGenerated((swagger) => {
      for (const decorate of decorators(swagger, target, key))
        (decorate as (...to: unknown[]) => void)(target, key, descriptor);
    });
  };

const schemaNames = new Map<object, string>();

/** The name of a class in the document; without it the class's own name. */
export const SchemaName =
  (name: string): ClassDecorator =>
  (target) => {
    schemaNames.set(target, name);
    whenGenerated(({ ApiSchema }) => ApiSchema({ name })(target as never));
  };

export interface FieldSchema extends Omit<Schema, 'type' | 'required'> {
  type?: string | Type | [Type];
  optional?: boolean;
  example?: unknown;
  /** Continues the sentence of the field's comment. */
  continued?: string;
}

/** Where @nestjs/swagger keeps what it knows of a field; it exports no name for it. */
export const FIELD = 'swagger/apiModelProperties';

/** What the type of a field says in the document. */
const FROM_TYPE = ['type', 'isArray', 'items', 'enum', 'additionalProperties'];

/**
 * What a field's comment and type do not say. A field needs none of these decorators: its description and an example
 * are in its JSDoc, and its type says whether it is required or null. Its default is the value that the class assigns.
 */
export const Field = ({ optional = false, example, continued, ...schema }: FieldSchema) =>
  Described(({ ApiProperty }, target, key) => {
    const preset = new (target.constructor as new () => Record<string | symbol, unknown>)()[key];
    const known = { ...(Reflect.getMetadata(FIELD, target, key) as Schema | undefined) };
    const { description = '' } = known;
    if ('type' in schema || 'anyOf' in schema || 'allOf' in schema) {
      for (const name of FROM_TYPE) Reflect.deleteProperty(known, name);
      const type = Reflect.getMetadata('design:type', target, key) as unknown;
      Reflect.defineMetadata(FIELD, { ...known, type }, target, key);
    }
    return [
      ApiProperty({
        ...schema,
        ...(continued && { description: description.replace(/\.$/, '') + continued }),
        ...(preset !== undefined && !Array.isArray(preset) && { default: preset }),
        ...(example !== undefined && { examples: [example] }),
        ...((optional || preset !== undefined) && { required: false }),
      } as object),
    ];
  });

/** An example that a comment cannot give: a constant, or null. */
export const Example = (example: unknown) => Field({ example });

/** A whole number. */
export const Whole = (rules: FieldSchema = {}) => Field({ type: 'integer', ...rules });

/** One of these strings. */
export const Choice = (values: readonly string[], rules: FieldSchema = {}) =>
  Field({ type: 'string', enum: values, ...rules });

/** A field whose schema is a named component. */
export const Named = (name: string) => Field({ allOf: [ref(name)] } as FieldSchema);

export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/** The same for a class. */
export const refTo = (type: Type): Schema => ref(schemaNames.get(type) ?? type.name);

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
