import { ALL_SCOPES, type Scope } from '../../src/access/accounts/scope.rules';
import { DeliveriesService } from '../../src/webhooks/deliveries/deliveries.service';
import { EndpointsService } from '../../src/webhooks/endpoints/endpoints.service';
import { type MadeQuiz, makeQuiz } from '../support/content';
import { type Endpoint, endpointsOf, exampleBody } from '../support/endpoints';
import { questionBodies } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

/**
 * Every endpoint of the OpenAPI document × who asks, and with which scope × whose object the path names. The end of
 * each privilege is in privilege-matrix.spec.ts.
 */

/** A scope stands for a key of the owner with only this scope. */
const CALLERS = [
  ...(['nobody', 'invalid key', 'free', 'stranger', 'administrator', 'owner'] as const),
  ...ALL_SCOPES,
];
type Caller = (typeof CALLERS)[number];
/** Whose object: `public` ones may be read by everybody, `private` ones exist for the owner only. */
type Kind = 'public' | 'draft' | 'private' | 'unknown';
type Outcome = '401' | '403 scope' | '403 live' | '403 plan' | '403' | '404' | 'served';

let service: Service;
let live: MadeQuiz;
let draft: MadeQuiz;
const callers = {} as Record<Exclude<Caller, 'nobody' | 'invalid key'>, TestAccount>;
/** An unlisted link of each quiz. */
const links = new Map<string, string>();
/** The objects that an id stands for, by the first part of the path. */
let objects: Record<string, [kind: Kind, id: string][]>;
beforeAll(async () => {
  service = await startService({ MODERATION: 'auto' });
  const owner = await service.account();
  Object.assign(callers, {
    owner,
    ...Object.fromEntries(
      await Promise.all(
        ALL_SCOPES.map(async (scope) => [scope, await service.keyOf(owner, { scopes: [scope] })]),
      ),
    ),
    stranger: await service.account(),
    free: await service.account('free'),
    administrator: await service.account('pro', { isAdmin: true }),
  });
  live = await makeQuiz(owner, { title: 'Live' }, questionBodies(2));
  draft = await makeQuiz(owner, { title: 'Zyxwv', published: false }, questionBodies(2));
  const post = async (path: string, body: object) =>
    ((await owner.post(path, body)).body as { data: { id: string } }).data.id;
  const attempt = await post(`/quizzes/${live.id}/attempts`, { player: 'user-17' });
  for (const { id } of [live, draft]) links.set(id, await post(`/quizzes/${id}/links`, {}));
  const file = owner.post('/imports?dry_run=true&filename=a.csv').set('Content-Type', 'text/csv');
  const imported = (await file.send('question,answer\na,b').expect(202)).body.data.id as string;
  const { endpoint } = await service.app
    .get(EndpointsService)
    .add(owner.accountId, { url: 'https://93.184.215.14/', events: ['quiz.created'] }, 'operator');
  const delivery = await service.app.get(DeliveriesService).sendTest('operator', endpoint.id);
  objects = {
    accounts: [['private', (await service.account()).accountId]],
    quizzes: [
      ['public', live.id],
      ['draft', draft.id],
    ],
    questions: [
      ['public', live.questions[0]?.id ?? ''],
      ['draft', draft.questions[0]?.id ?? ''],
    ],
    attempts: [['private', attempt]],
    imports: [['private', imported]],
    webhooks: [['private', endpoint.id]],
    deliveries: [['private', delivery]],
  };
});
afterAll(() => service.close());

const UNKNOWN = '01990000-0000-7000-8000-000000000000';
const PLAYED = /^\/quizzes\/{id}\/(attempts|leaderboard)$/;
const RESULTS = /^\/quizzes\/{id}\/(attempts|statistics|links)$/;

/** A copy is a draft of whoever may see the original. */
const COPIES = /^\/quizzes\/{id}\/copy$/;
/** Changes that nobody else reads: not of the quiz itself. */
const UNREAD = /^\/quizzes\/{id}\/(copy|regrade)$/;
/** Changes of drafts, which a Free account has too: only to publish needs a plan. */
const MAY_PUBLISH = /^\/quizzes\/{id}(\/resubmit)?$/;

/** Whether the endpoint only reads the object of its path, as far as its owner is concerned. */
const isRead = ({ method, path }: Endpoint) =>
  method === 'get' || PLAYED.test(path) || COPIES.test(path);

/** One scope is not enough: the example body also publishes, or everything of the account is deleted. */
const NEEDS_MORE_SCOPES = new Set(['post /quizzes', 'patch /quizzes/{id}', 'delete /me']);

/** Only administrators change accounts of others. */
const ACCOUNT = /^\/accounts\//;

const needsPlan = ({ operation }: Endpoint) =>
  JSON.stringify(operation.responses[403] ?? '').includes('plan-required');

const isScope = (caller: Caller): caller is Scope => ALL_SCOPES.includes(caller as Scope);

function expected(endpoint: Endpoint, caller: Caller, kind: Kind | null): Outcome {
  const { method, path } = endpoint;
  if (endpoint.scopes.length === 0) return 'served';
  if (caller === 'nobody' || caller === 'invalid key') return '401';
  if (caller === 'free' && needsPlan(endpoint) && !MAY_PUBLISH.test(path)) return '403 plan';
  if (isScope(caller) && !endpoint.scopes.includes(caller)) return '403 scope';
  const needsMore = isScope(caller) && NEEDS_MORE_SCOPES.has(`${method} ${path}`);
  const served = needsMore ? '403 scope' : 'served';
  if (kind === null) return served;
  if (ACCOUNT.test(path) && kind !== 'unknown')
    return caller === 'administrator' ? 'served' : '403';
  if (kind === 'unknown' || (kind === 'draft' && caller === 'play')) return '404';
  // What others see at once needs the scope publish too.
  if (caller === 'write' && kind === 'public' && !UNREAD.test(path)) return '403 live';
  if (isScope(caller)) return served;
  if (caller === 'owner') return 'served';
  if (kind === 'private') return '404';
  if (RESULTS.test(path) && method === 'get' && kind === 'public')
    return caller === 'administrator' && !path.endsWith('links') ? 'served' : '403';
  if (isRead(endpoint)) return kind === 'public' ? 'served' : '404';
  return '403';
}

function outcomeOf({ status, body }: { status: number; body: unknown }): Outcome | number {
  const { error = '' } = body as { error?: string };
  if (status === 403 && error.startsWith('This request needs an API key with')) return '403 scope';
  if (status === 403 && error.startsWith('This quiz is live')) return '403 live';
  if (status === 403 && error.includes('require a Starter or Pro plan')) return '403 plan';
  if ([401, 403, 404].includes(status)) return String(status) as Outcome;
  return status < 500 ? 'served' : status;
}

function ask(endpoint: Endpoint, caller: Caller, id: string) {
  const key = { nobody: '', 'invalid key': 'nonsense' }[caller as string] ?? keyOf(caller);
  const isFile = 'text/csv' in (endpoint.operation.requestBody?.content ?? {});
  return fetch(`${service.url}/api/v1${pathOf(endpoint, id)}`, {
    method: endpoint.method.toUpperCase(),
    headers: {
      ...(key && { Authorization: `Bearer ${key}` }),
      'Content-Type': isFile ? 'text/csv' : 'application/json',
    },
    body: isFile ? 'question,answer\na,b' : JSON.stringify(bodyFor(endpoint)),
  });
}
const pathOf = ({ path }: Endpoint, id: string) =>
  path.replace('{link}', links.get(id) ?? UNKNOWN).replace(/{\w+}/g, id);
const bodyFor = (endpoint: Endpoint) =>
  endpoint.path.endsWith('/questions/copy')
    ? { ids: [live.questions[0]?.id] }
    : exampleBody(endpoint);
const keyOf = (caller: Caller) => callers[caller as keyof typeof callers].key;

const isOwner = (caller: Caller) => caller === 'owner' || isScope(caller);

/** Who changes the objects, the key with all scopes last: it also publishes the draft. */
const CHANGES: Caller[] = [...ALL_SCOPES, 'owner'];

/** Deletions last, and accounts after quizzes after questions, so that everything exists when it is asked for. */
function order({ endpoint: { method, path }, caller }: Pick<Row, 'endpoint' | 'caller'>): number {
  if (method !== 'delete') return 0;
  if (/questions|links/.test(path)) return 1;
  if (ACCOUNT.test(path)) return caller === 'administrator' ? 4 : 3;
  return path === '/me' ? 5 : 2;
}

interface Row {
  endpoint: Endpoint;
  caller: Caller;
  /** Null where the path names no object. */
  kind: Kind | null;
  id: string;
}

function rows(): Row[] {
  return endpointsOf(service).flatMap((endpoint) =>
    CALLERS.flatMap((caller): Row[] => {
      if (!endpoint.path.includes('{')) return [{ endpoint, caller, kind: null, id: '' }];
      const known = objects[endpoint.path.split('/')[1] ?? ''];
      if (!known) throw new Error(`Add an object for ${endpoint.path} to "objects".`);
      const all: [Kind, string][] = [['unknown', UNKNOWN], ...known];
      // What a key with one scope deletes would be missed by those that follow.
      if (isScope(caller) && endpoint.method === 'delete' && endpoint.scopes.includes(caller))
        return [];
      return all.map(([kind, id]) => ({ endpoint, caller, kind, id }));
    }),
  );
}

test('a malformed id in the path of any endpoint is not found, and one in its query or body causes no 500', async () => {
  const wrong: unknown[] = [];
  for (const endpoint of endpointsOf(service)) {
    const { method, operation } = endpoint;
    const [, id = ''] = objects[endpoint.path.split('/')[1] ?? '']?.[0] ?? [];
    const path = pathOf(endpoint, id);
    const body = JSON.stringify(bodyFor(endpoint)) ?? '';
    const parameters = (operation.parameters ?? []).filter((it) => it.in === 'query');
    const requests = [
      ...withoutOneId(path).map((malformed) => [malformed, body, true] as const),
      ...withoutOneId(body).map((malformed) => [path, malformed, false] as const),
      ...parameters.map(({ name }) => [`${path}?${name}=nonsense`, body, false] as const),
    ];
    for (const [target, sent, isInPath] of requests) {
      const { status } = await fetch(`${service.url}/api/v1${target}`, {
        method: method.toUpperCase(),
        headers: { Authorization: `Bearer ${keyOf('owner')}`, 'Content-Type': 'application/json' },
        body: method === 'get' ? undefined : sent,
      });
      if (isInPath ? status !== 404 : status >= 500) wrong.push([method, target, sent, status]);
    }
  }
  expect(wrong).toEqual([]);
});

/** The text with each of its ids in turn replaced by one that is malformed. */
const withoutOneId = (text: string): string[] =>
  [...text.matchAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g)].map(
    ({ index, 0: { length } }) => `${text.slice(0, index)}nonsense${text.slice(index + length)}`,
  );

test('every endpoint serves or refuses every caller as its objects allow, and shows nobody else what is the owner’s', async () => {
  const all = rows();
  const sorted = all.sort(
    (a, b) => order(a) - order(b) || CHANGES.indexOf(a.caller) - CHANGES.indexOf(b.caller),
  );
  const idsOf = (...kinds: Kind[]) =>
    Object.values(objects).flatMap((known) =>
      known.filter(([kind]) => kinds.includes(kind)).map(([, id]) => id),
    );
  const secretsFor = (caller: Caller) => {
    if (caller === 'play') return [...idsOf('draft'), draft.title];
    return isOwner(caller) ? [] : [...idsOf('draft', 'private'), draft.title];
  };
  const wrong: unknown[] = [];
  for (const { endpoint, caller, kind, id } of sorted) {
    const response = await ask(endpoint, caller, id);
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    const found = outcomeOf({ status: response.status, body: isJson ? JSON.parse(text) : {} });
    const allowed = expected(endpoint, caller, kind);
    const row = `${endpoint.method} ${endpoint.path} of ${kind} by ${caller}`;
    if (found !== allowed) wrong.push([row, found, allowed, text.slice(0, 200)]);
    const shown = secretsFor(caller).filter((secret) => text.includes(secret));
    if (shown.length > 0) wrong.push([row, 'shows', shown]);
  }
  expect(wrong).toEqual([]);
  expect(all.length).toBeGreaterThan(500);
}, 120_000);
