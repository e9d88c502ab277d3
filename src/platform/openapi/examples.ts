import type { MediaObject, OpenApiDocument, Schema } from './openapi-objects';

/** Gives the bodies of requests and responses an example each, built from the examples of their fields. */
export function addExamples(
  content: Record<string, MediaObject> | undefined,
  schemas: OpenApiDocument['components']['schemas'],
): void {
  const media = content?.['application/json'];
  if (!media || media.example !== undefined) return;
  const example = (schema: Schema) => exampleOf(schema, schemas);
  const { schema, examples } = media;
  // A schema without fields has no example.
  if (!examples && (schema.$ref || Object.keys(schema.properties ?? {}).length > 0))
    media.example = example(schema);
  for (const [at, kind] of Object.values(examples ?? {}).entries())
    if (schema.anyOf?.[at]) kind.value = example(schema.anyOf[at]);
}

/** A value that the schema accepts. An optional field without an example is left out. */
function exampleOf(schema: Schema, schemas: Record<string, Schema>): unknown {
  const { $ref, examples, const: constant, enum: [first] = [], items, properties = {} } = schema;
  if (examples) return examples[0];
  if ($ref) return exampleOf(schemas[$ref.split('/').at(-1) ?? ''] ?? {}, schemas);
  if (constant !== undefined) return constant;
  if (first !== undefined) return first;
  if (items) return [exampleOf(items, schemas)];
  const [part] = schema.anyOf ?? [];
  if (part) return exampleOf(part, schemas);
  const shown = Object.entries(properties).filter(
    ([name, field]) => field.examples || schema.required?.includes(name),
  );
  return Object.fromEntries(shown.map(([name, field]) => [name, exampleOf(field, schemas)]));
}
