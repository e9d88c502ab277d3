import type {
  MediaObject,
  OpenApiDocument,
  OperationObject,
  ResponseObject,
} from '../../platform/openapi/openapi-objects';
import type { Schema } from '../../platform/openapi/openapi-objects';

/** An endpoint, or an event that the service sends. */
export interface Entry {
  id: string;
  kind: 'endpoint' | 'event';
  method: string;
  /** The path, or the name of the event. */
  path: string;
  operation: OperationObject;
}

/** A page of the reference: the entries of one tag. */
export interface Section {
  slug: string;
  name: string;
  description: string;
  entries: Entry[];
}

/** A situation in which a request fails. */
export interface ErrorEntry {
  name: string;
  status: number;
  title: string;
  fix: string;
  body: unknown;
  /** Which endpoints; empty: all of them. */
  entries: Entry[];
}

/** The document as the pages read it. */
export class Reference {
  readonly sections: Section[];

  constructor(readonly document: OpenApiDocument) {
    const endpoints = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): Entry => ({
        id: operation.operationId,
        kind: 'endpoint',
        method: method.toUpperCase(),
        path,
        operation,
      })),
    );
    const events = Object.entries(document.webhooks).map(([path, { post }]): Entry => {
      const operation = post;
      return { id: operation.operationId, kind: 'event', method: 'EVENT', path, operation };
    });
    const all = [...endpoints, ...events];
    this.sections = document.tags.map(({ name, description }) => ({
      slug: name.toLowerCase().replace(/\W+/g, '-'),
      name,
      description,
      entries: all.filter(({ operation }) => operation.tags.includes(name)),
    }));
  }

  /** What a reference stands for; anything else is itself. */
  resolve<T>(value: T | { $ref: string }): T {
    const { $ref } = value as { $ref?: string };
    if ($ref === undefined) return value as T;
    const found = $ref
      .slice(2)
      .split('/')
      .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], this.document);
    return found as T;
  }

  schema(schema: Schema): Schema & { name?: string } {
    const { $ref } = schema as { $ref?: string };
    return $ref === undefined
      ? schema
      : { ...this.resolve(schema), name: $ref.split('/').at(-1) ?? '' };
  }

  responses({ operation }: Entry): { status: string; response: ResponseObject }[] {
    return Object.entries(operation.responses).map(([status, response]) => ({
      status,
      response: this.resolve<ResponseObject>(response),
    }));
  }

  /** The situations in which this fails, each with its status. */
  failures(entry: Entry): Omit<ErrorEntry, 'entries'>[] {
    return this.responses(entry)
      .filter(({ status }) => Number(status) >= 400)
      .flatMap(({ status, response }) =>
        Object.entries(response.content?.['application/json']?.examples ?? {}).map(
          ([name, { summary, description = '', value }]) => ({
            name,
            status: Number(status),
            title: summary,
            fix: description,
            body: value,
          }),
        ),
      );
  }

  /** Every situation once, by status. */
  errors(): ErrorEntry[] {
    const found = new Map<string, ErrorEntry>();
    const endpoints = this.sections.flatMap(({ entries }) => entries);
    for (const entry of endpoints)
      for (const failure of this.failures(entry)) {
        const known = found.get(failure.name) ?? { ...failure, entries: [] };
        found.set(failure.name, { ...known, entries: [...known.entries, entry] });
      }
    return [...found.values()].sort((a, b) => a.status - b.status);
  }

  /** Where an entry stands. */
  pathTo({ id, operation }: Entry): string {
    const section = this.sections.find(({ name }) => operation.tags.includes(name));
    return `/docs/reference/${section?.slug ?? ''}#${id}`;
  }
}

/** The kind of body to show: JSON with fields before others; of files the first that is not JSON. */
export function mediaOf(
  content: Record<string, MediaObject> | undefined,
): { type: string; media: MediaObject; others: string[] } | null {
  const kinds = Object.entries(content ?? {});
  const [type, media] =
    kinds.find(([name, it]) => name === 'application/json' && !isFile(it)) ??
    kinds.find(([name]) => name !== 'application/json') ??
    kinds[0] ??
    [];
  if (type === undefined || media === undefined) return null;
  return { type, media, others: kinds.map(([name]) => name).filter((name) => name !== type) };
}

/** A body that is a file and has no fields. */
export const isFile = ({ schema }: MediaObject): boolean => schema.type === 'string';
