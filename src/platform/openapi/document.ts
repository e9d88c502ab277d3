import type { QueryParameter } from './class-fields';
import { Components } from './components';
import { UNREADABLE_QUERY, WRONG_FIELDS } from './failures';
import type { Answer, Header, Trait } from './operation';
import type {
  OpenApiDocument,
  OperationObject,
  ParameterObject,
  Reference,
  ResponseObject,
} from './openapi-objects';
import type { Route } from './routes';
import { exampleOf, type Schema } from './schema';

/** A webhook: a request that the service sends. */
export interface WebhookWords {
  summary: string;
  description: string;
  headers: Record<string, Header>;
  body: Schema;
  answers: Record<string, string>;
}

/** What the document says beside its endpoints. */
export interface About {
  info: object;
  tags: { name: string; description: string }[];
  securitySchemes: Record<string, object>;
  /** Of every endpoint below the prefix. */
  everywhere: Trait;
  /** Of every GET among them whose answers have an ETag. */
  reads: Trait;
  /** Of endpoints besides, such as those for load balancers. */
  outside: Trait;
  webhooks: Record<string, WebhookWords>;
}

/** A route and where it is: below the API's prefix or besides. */
export interface PlacedRoute extends Route {
  below: boolean;
}

const JSON_TYPE = 'application/json';

/** Writes the document. Nothing in it depends on the settings or on the data of a deployment. */
export function buildDocument(about: About, routes: readonly PlacedRoute[]): OpenApiDocument {
  const components = new Components();
  const security = Object.keys(about.securitySchemes).map((name) => ({ [name]: [] }));
  const paths: OpenApiDocument['paths'] = {};
  for (const route of routes) {
    const traits = [
      route.below ? about.everywhere : about.outside,
      ...(route.below && route.method === 'get' && !route.operation.untagged ? [about.reads] : []),
      ...route.traits,
    ];
    (paths[route.path] ??= {})[route.method] = operationObject(
      components,
      route,
      traits,
      traits.some(({ secured }) => secured) ? security : [],
    );
  }
  const webhooks = Object.entries(about.webhooks).map(([name, words]) => [
    name,
    { post: webhookObject(components, name, words) },
  ]);
  return {
    openapi: '3.1.1',
    info: about.info,
    servers: [{ url: '/', description: 'The service that you have this document from.' }],
    tags: about.tags,
    paths,
    webhooks: Object.fromEntries(webhooks) as OpenApiDocument['webhooks'],
    components: { securitySchemes: about.securitySchemes, ...components.written() },
  };
}

function operationObject(
  components: Components,
  { operation, path, status }: PlacedRoute,
  traits: Trait[],
  security: object[],
): OperationObject {
  const { id, tag, summary, description, query, body, bodies } = operation;
  const example = operation.example ?? (body && exampleOf(body));
  const parameters = [
    ...Object.entries(operation.path ?? {}).map(([name, words]) => pathParameter(name, words)),
    ...(query ?? []).map((parameter) => queryParameter(components, parameter)),
    ...Object.entries(merged(...traits.map((it) => it.headers), operation.headers)).map(
      ([name, header]) => headerParameter(name, header),
    ),
  ];
  const missing = [...path.matchAll(/\{(\w+)\}/g)].find(([, name = '']) => !operation.path?.[name]);
  if (missing) throw new Error(`The operation ${id} does not describe ${missing[0]} of ${path}`);
  const content = {
    ...(body && { [JSON_TYPE]: { schema: components.ref(body), example } }),
    ...Object.fromEntries(
      Object.entries(bodies ?? {}).map(([type, { schema, example }]) => [
        type,
        { schema: components.ref(schema), ...(example !== undefined && { example }) },
      ]),
    ),
  };
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    security,
    ...(parameters.length > 0 && { parameters }),
    ...(Object.keys(content).length > 0 && { requestBody: { required: true, content } }),
    responses: responses(components, operation, status, traits),
  };
}

const pathParameter = (
  name: string,
  { description, example }: { description: string; example: string },
): ParameterObject => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string', examples: [example] },
});

function queryParameter(components: Components, parameter: QueryParameter): ParameterObject {
  const { description = '', ...schema } = parameter.schema;
  return {
    name: parameter.name,
    in: 'query',
    required: parameter.required,
    description,
    // Lists are separated by commas: `tags=a,b`.
    ...(schema.type === 'array' && { style: 'form', explode: false }),
    schema: components.ref(schema),
  };
}

const headerParameter = (name: string, { description, schema }: Header): ParameterObject => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
});

function responses(
  components: Components,
  { answer, answers, failures, query, body }: PlacedRoute['operation'],
  status: number,
  traits: Trait[],
): Record<string, ResponseObject | Reference> {
  const every = merged(...traits.map((trait) => trait.everyAnswer));
  const own = merged(...traits.map((trait) => trait.answerHeaders));
  const good = merged<Answer>(
    { [status]: { ...answer, headers: { ...own, ...answer.headers } } },
    ...traits.map((trait) => trait.answers),
    answers,
  );
  const bad = [
    ...traits.flatMap((trait) => trait.failures ?? []),
    ...(query ? [UNREADABLE_QUERY] : []),
    ...(body ? [WRONG_FIELDS] : []),
    ...(failures ?? []),
  ];
  const all: Record<number, ResponseObject | Reference> = {};
  for (const [at, it] of Object.entries(good))
    all[Number(at)] = answerObject(components, it, every);
  for (const at of new Set(bad.map((failure) => failure.status)))
    all[at] = components.failure(
      bad.filter((failure) => failure.status === at),
      every,
    );
  return all;
}

type Headers = Record<string, Header>;

/** Of one name the last one counts. */
const merged = <T>(...parts: (Record<string, T> | undefined)[]): Record<string, T> =>
  Object.fromEntries(parts.flatMap((part) => Object.entries(part ?? {})));

/** Of what has no fields there is nothing to show. */
const isShown = ({ properties, anyOf }: Schema, type: string): boolean =>
  type === JSON_TYPE && (anyOf !== undefined || Object.keys(properties ?? {}).length > 0);

function answerObject(components: Components, answer: Answer, every: Headers): ResponseObject {
  const { description, schema, type = JSON_TYPE, otherTypes, examples } = answer;
  return {
    description,
    headers: components.headers({ ...every, ...answer.headers }),
    ...(schema && {
      content: {
        [type]: {
          schema: components.ref(schema),
          ...(examples ? { examples } : isShown(schema, type) && { example: exampleOf(schema) }),
        },
        ...Object.fromEntries(
          Object.entries(otherTypes ?? {}).map(([other, schema]) => [
            other,
            { schema: components.ref(schema) },
          ]),
        ),
      },
    }),
  };
}

function webhookObject(components: Components, name: string, words: WebhookWords): object {
  return {
    operationId: name.replace(/\.(\w)/, (_, first: string) => first.toUpperCase()),
    tags: ['Webhooks'],
    summary: words.summary,
    description: words.description,
    security: [],
    parameters: Object.entries(words.headers).map(([header, it]) => ({
      ...headerParameter(header, it),
      required: it.always ?? true,
    })),
    requestBody: {
      required: true,
      content: {
        [JSON_TYPE]: { schema: components.ref(words.body), example: exampleOf(words.body) },
      },
    },
    responses: Object.fromEntries(
      Object.entries(words.answers).map(([status, description]) => [status, { description }]),
    ),
  };
}
