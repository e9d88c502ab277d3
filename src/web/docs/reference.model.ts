import { STATUS_CODES } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import type {
  HeaderObject,
  MediaObject,
  OpenApiDocument,
  OperationObject,
  ResponseObject,
  Schema,
} from '../../platform/openapi/openapi-objects';

export interface Response extends ResponseObject {
  headers?: Record<string, HeaderObject>;
}

/** An endpoint, or an event that the service sends. */
export interface Entry {
  id: string;
  isEvent: boolean;
  method: string;
  /** The path, or the name of the event. */
  path: string;
  operation: Omit<OperationObject, 'responses'> & { responses: Record<string, Response> };
  /** The page of the reference with its anchor. */
  href: string;
  errors: ErrorEntry[];
}

/** A page of the reference: the entries of one tag. */
export interface Section {
  slug: string;
  name: string;
  description: string;
  entries: Entry[];
}

/** A way in which a request fails. */
type ErrorEntry = ReturnType<typeof errorsOf>[number];

/** The errors of one name: each text once, with the endpoints that respond with it. */
interface ErrorGroup {
  name: string;
  status: number;
  /** Those of all variants. */
  title: string;
  variants: (ErrorEntry & { entries: Entry[] })[];
}

/** The document as the pages show it. */
export class Reference {
  readonly sections: Section[];
  readonly entries: Entry[];
  /** Every name of an error once, by status. */
  readonly errors: ErrorGroup[];

  constructor(document: OpenApiDocument) {
    const { paths, webhooks, tags } = dereferenced(document);
    const operations = [
      ...Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => [method, path, operation] as const),
      ),
      ...Object.entries(webhooks).map(([name, { post }]) => ['event', name, post] as const),
    ];
    this.entries = operations.map(([method, path, operation]) =>
      entryOf(method, path, operation as Entry['operation']),
    );
    this.sections = tags.map(({ name, description }) => ({
      slug: slugOf(name),
      name,
      description,
      entries: this.entries.filter(({ operation }) => operation.tags.includes(name)),
    }));
    this.errors = groupsOf(this.entries);
  }
}

function entryOf(method: string, path: string, operation: Entry['operation']): Entry {
  const { operationId: id, tags, responses } = operation;
  return {
    id,
    isEvent: method === 'event',
    method: method.toUpperCase(),
    path,
    operation,
    href: `/docs/reference/${slugOf(tags[0] ?? '')}#${id}`,
    errors: errorsOf(responses),
  };
}

function groupsOf(entries: readonly Entry[]): ErrorGroup[] {
  const groups = new Map<string, Omit<ErrorGroup, 'title'>>();
  for (const entry of entries)
    for (const error of entry.errors) {
      const { name, status } = error;
      const group = groups.get(name) ?? { name, status, variants: [] };
      groups.set(name, group);
      const known = group.variants.find(({ entries: _, ...variant }) =>
        isDeepStrictEqual(variant, error),
      );
      if (known) known.entries.push(entry);
      else group.variants.push({ ...error, entries: [entry] });
    }
  return [...groups.values()]
    .sort((a, b) => a.status - b.status)
    .map((group) => ({
      ...group,
      title: [...new Set(group.variants.map(({ title }) => title))].join(' / '),
    }));
}

const errorsOf = (responses: Record<string, Response>) =>
  Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, { content }]) =>
      Object.entries(content?.['application/json']?.examples ?? {}).map(
        ([name, { summary: title, description: fix = '', value: body }]) => ({
          name,
          status: Number(status),
          title,
          fix,
          body,
        }),
      ),
    );

/** `404 Not Found` */
export const statusTitle = (status: number | string) => `${status} ${STATUS_CODES[status]}`;

const slugOf = (tag: string) => tag.toLowerCase().replace(/\W+/g, '-');

/** The document with each reference replaced by its target; the name of a schema becomes its title. */
function dereferenced(document: OpenApiDocument): OpenApiDocument {
  // Hundreds of places refer to the same few schemas.
  const targets = new Map<string, object>();
  const targetOf = (ref: string): object => {
    const [kind = '', name = ''] = ref.split('/').slice(2);
    const known = targets.get(ref);
    const target = known ?? {
      title: name,
      ...(visit(document.components[kind]?.[name]) as object),
    };
    targets.set(ref, target);
    return target;
  };
  const visit = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(visit);
    const { $ref } = value as { $ref?: string };
    const own: Record<string, unknown> = {};
    for (const [name, child] of Object.entries(value))
      if (name !== '$ref') own[name] = visit(child);
    return $ref === undefined ? own : { ...targetOf($ref), ...own };
  };
  return visit(document) as OpenApiDocument;
}

/** The body to show: JSON with fields if there is one; for files the first that is not JSON. */
export function mediaOf(content: Record<string, MediaObject> = {}): Body | null {
  const kinds = Object.entries(content);
  const [kind] = [
    ...kinds.filter(([name, it]) => name === 'application/json' && !isFile(it)),
    ...kinds.filter(([name]) => name !== 'application/json'),
    ...kinds,
  ];
  if (!kind) return null;
  const [type, media] = kind;
  return { type, media, others: kinds.map(([name]) => name).filter((name) => name !== type) };
}

/** One kind of body, and the media types of the others. */
export interface Body {
  type: string;
  media: MediaObject;
  others: string[];
}

/** A body that is a file and has no fields. */
export const isFile = ({ schema }: MediaObject): boolean => schema.type === 'string';

/** The fields of an object: their names, schemas, and whether they are required. */
export const fieldsOf = ({ properties = {}, required = [] }: Schema) =>
  Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    required: required.includes(name),
  }));
