import type { Reference, ResponseObject } from './openapi-objects';
import { ERROR_SCHEMA } from './failures';
import type { Failure, Header } from './operation';
import { nameOf, type Schema } from './schema';

/** What the document says once and refers to: named schemas and the headers of answers. */
export class Components {
  private readonly schemas = new Map<string, Schema>();
  private readonly responses = new Map<string, ResponseObject>();
  private readonly sharedHeaders = new Map<string, object>();

  /** The schema as it stands in the document: named ones within it become references. */
  ref(schema: Schema): Schema {
    const name = nameOf(schema);
    if (name === undefined) return this.within(schema);
    if (!this.schemas.has(name)) {
      // Before its own fields: the order in which they are met.
      this.schemas.set(name, {});
      this.schemas.set(name, this.within(schema));
    }
    return { $ref: `#/components/schemas/${name}` } as Schema;
  }

  headers(headers: Record<string, Header>): Record<string, object> {
    return Object.fromEntries(
      Object.entries(headers).map(
        ([name, { description, schema, always = true }]): [string, object] => {
          const header = { description, ...(always && { required: true }), schema };
          const shared = this.sharedHeaders.get(name);
          // A header that means something else here than elsewhere is said in its place.
          if (shared && JSON.stringify(shared) !== JSON.stringify(header)) return [name, header];
          this.sharedHeaders.set(name, header);
          return [name, { $ref: `#/components/headers/${name}` }];
        },
      ),
    );
  }

  /** The answer to all failures of one status, each of them an example. One that says the same elsewhere is shared. */
  failure(failures: Failure[], every: Record<string, Header>): ResponseObject | Reference {
    const response = this.failureObject(failures, every);
    const names = [...new Set(failures.map(({ name }) => name))];
    const name = names.join('-or-');
    const shared = this.responses.get(name);
    if (shared && JSON.stringify(shared) !== JSON.stringify(response)) return response;
    this.responses.set(name, response);
    return { $ref: `#/components/responses/${name}` };
  }

  private failureObject(failures: Failure[], every: Record<string, Header>): ResponseObject {
    const headers = { ...every };
    for (const failure of failures)
      for (const [name, header] of Object.entries(failure.headers ?? {}))
        // What one of them carries and another does not may be missing.
        headers[name] = failures.every((it) => it.headers?.[name])
          ? header
          : { ...header, always: false };
    const once = [...new Map(failures.map((failure) => [failure.name, failure])).values()];
    return {
      description: `${once.map(({ title }) => title).join('; ')}.`,
      headers: this.headers(headers),
      content: {
        'application/json': {
          schema: this.ref(ERROR_SCHEMA),
          examples: Object.fromEntries(
            once.map(({ name, title, fix, error, details }) => [
              name,
              {
                summary: title,
                description: fix,
                value: { success: false, error, ...(details && { details }) },
              },
            ]),
          ),
        },
      },
    };
  }

  written() {
    return {
      responses: Object.fromEntries(this.responses),
      schemas: Object.fromEntries(this.schemas),
      headers: Object.fromEntries(this.sharedHeaders),
    };
  }

  private within(schema: Schema): Schema {
    const { items, properties, anyOf } = schema;
    return {
      ...schema,
      ...(items && { items: this.ref(items) }),
      ...(anyOf && { anyOf: anyOf.map((it) => this.ref(it)) }),
      ...(properties && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([name, field]) => [name, this.ref(field)]),
        ),
      }),
    };
  }
}
