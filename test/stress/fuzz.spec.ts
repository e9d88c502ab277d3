import { randomUUID } from 'node:crypto';
import fc, { type Arbitrary } from 'fast-check';
import { Pool } from 'undici';
import { expectEnvelope } from '../support/envelope';
import { questionBody, quizBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

/**
 * Whatever is sent to whichever address, the service answers in its own terms: never a 5xx, always JSON
 * with a boolean `success`, errors as the envelope and nothing else, nothing changed by what it refused, and no
 * unexpected error in the log. A run that fails prints its seed and the smallest input that fails; repeat it with
 * `fc.assert(…, { seed, path })`.
 */
let service: Service;
let account: TestAccount;
let ownQuiz: string;
let neighboursQuiz: string;
let pool: Pool;

beforeAll(async () => {
  service = await startService({ QUIZ_QUOTA_PRO: '1000000', LOG_LEVEL: 'warn' });
  pool = new Pool(service.url);
  account = await service.account();
  const neighbour = await service.account();
  const create = async (owner: TestAccount) =>
    (await owner.post('/quizzes', quizBody()).expect(201)).body.data.id as string;
  ownQuiz = await create(account);
  neighboursQuiz = await create(neighbour);
});
afterEach(() => expect(service.log.filter((line) => JSON.parse(line).level >= 50)).toEqual([]));
afterAll(async () => {
  await pool.close();
  await service.close();
});

const RUNS = { numRuns: 200 };

interface Sent {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

/** Sends, checks what holds for every answer, and returns the status. */
async function answered({ method = 'GET', path, headers = {}, body }: Sent): Promise<number> {
  // The path goes over the wire as it is: a URL would first tidy it up.
  const response = await pool.request({
    path,
    method,
    headers,
    body,
  });
  const { statusCode: status } = response;
  const text = await response.body.text();
  expect(status).toBeLessThan(500);
  if (isPage(path)) return status;
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(response.headers['x-request-id']).toMatch(/^[\w-]{1,64}$/);
  if (/^\/api\/v1(?=[/?]|$)/.test(path)) {
    expect(response.headers['ratelimit-limit']).toBe('1000000');
    expect(response.headers['ratelimit-remaining']).toMatch(/^\d+$/);
    expect(response.headers['ratelimit-reset']).toMatch(/^\d+$/);
  }
  if (method === 'HEAD') return status;
  const answer = JSON.parse(text) as { success: unknown; details?: unknown };
  expect(answer.success).toBe(status < 400);
  if (status >= 400) expectEnvelope(answer);
  if (status !== 422) expect(answer).not.toHaveProperty('details');
  return status;
}

/** The landing page and the dashboard are for people. */
const isPage = (path: string) => /^\/+(dashboard.*)?([?#]|$)/i.test(path);

/** Everything that a request could change. */
async function state(): Promise<unknown> {
  const [row] = await service.database.query<unknown[]>(
    `SELECT (SELECT array[count(*), sum(hashtext(q::text)::bigint)] FROM quizzes q) AS quizzes,
            (SELECT array[count(*), sum(hashtext(q::text)::bigint)] FROM questions q) AS questions,
            (SELECT array[count(*), sum(hashtext(e::text)::bigint)] FROM outbox_events e) AS events,
            (SELECT array[count(*), sum(hashtext(t::text)::bigint)] FROM quiz_tags t) AS tags`,
  );
  return row;
}

let known: unknown;
/** The same for requests that may write: what is refused has changed nothing. */
async function answeredUnchanged(sent: Sent): Promise<number> {
  known ??= await state();
  const status = await answered(sent);
  const now = await state();
  if (status >= 400) expect(now).toEqual(known);
  known = now;
  return status;
}

const withKey = (headers: Record<string, string> = {}) => ({
  authorization: `Bearer ${account.key}`,
  ...headers,
});

// What is sent -----------------------------------------------------------------------------------

const percent = (bytes: Uint8Array) =>
  [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

/** Text of a URL: any bytes percent-encoded, any Unicode, what is special somewhere, and what cannot be decoded. */
const urlText: Arbitrary<string> = fc.oneof(
  fc.uint8Array({ maxLength: 12 }).map(percent),
  fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => encodeURIComponent(text)),
  fc.string({ unit: fc.constantFrom(...`abcXYZ019-._~!$'()*+,;:@[]{}|^\`\\<>%"=`), maxLength: 12 }),
  fc.constantFrom(
    ...['', '0', '-1', '1', '10', '50', '51', '1e3', '0x10', '+5', '%20%35', '1.0', 'NaN', 'null'],
    ...['999999999999999', '9007199254740993', '99999999999999999999', '1'.repeat(400), 'true'],
    ...['EASY', 'easy', 'EASY,HARD', ',', 'OPEN_ENDED', 'popular', 'newest', 'title', 'all', 'any'],
    ...[
      '%00',
      'a%00b',
      '%ed%a0%80',
      '%ff',
      '%zz',
      '%',
      '%25',
      '%2525',
      '%E0%A4%A',
      'a'.repeat(3_000),
    ],
    ...['%25%5f', '%5c', '%27%3b--', '%d8%00', '__proto__', 'constructor', '[object%20Object]'],
    ...['%f0%9f%98%80', 'e%cc%81', '%ef%bc%a1', '%e2%80%ae', '%cf%82', '%c4%b0', ',,,,'],
  ),
);

const PARAMETERS = [
  ...['category', 'difficulty', 'tags', 'tags_match', 'topic', 'sort', 'limit', 'offset', 'type'],
  ...['quiz_id', 'include_answers', 'random', 'seed', 'text', 'api_key', 'apiKey'],
];
const name = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...PARAMETERS) },
  fc
    .tuple(
      fc.constantFrom(...PARAMETERS),
      fc.constantFrom('[]', '[0]', '[a]', '[a][b]', '%5B%5D', '[__proto__]', '[', '%00'),
    )
    .map((parts) => parts.join('')),
  urlText,
);
const pair = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(name, urlText).map((parts) => parts.join('=')) },
  name,
);
const query = fc.array(pair, { maxLength: 6 }).map((pairs) => pairs.join('&'));

const id = fc.oneof(
  fc.constantFrom('own', 'neighbour', 'none', 'upper'),
  urlText.map((text) => text || 'x'),
);
const quizAt = (which: string): string => {
  if (which === 'own') return ownQuiz;
  if (which === 'upper') return ownQuiz.toUpperCase();
  if (which === 'neighbour') return neighboursQuiz;
  return which === 'none' ? randomUUID() : which;
};

const path = fc.oneof(
  fc.constantFrom('/quizzes', '/questions', '/metadata', '/categories').map((at) => () => at),
  id.map((which) => () => `/quizzes/${quizAt(which)}`),
);

/** Values that ask for trouble in JSON. */
const oddValue: Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }) },
  fc.constantFrom<unknown>(
    ...[
      null,
      true,
      0,
      -1,
      1e308,
      '',
      ' ',
      '\0',
      'a\0',
      '\ud800',
      '\u{1f600}',
      [],
      {},
      [[]],
      [null],
    ],
    ...['EASY', 'easy', 'TRUE_FALSE', 'a'.repeat(2_001), 'é'.repeat(201), ' x ', 'constructor'],
    ...[
      { length: 1 },
      { then: 1 },
      { toString: 1 },
      { valueOf: null, toJSON: 'x' },
      Array(60).fill({}),
    ],
  ),
  fc
    .integer({ min: 5, max: 200 })
    .map((depth) => JSON.parse('['.repeat(depth) + ']'.repeat(depth))),
);
const oddKey = fc.oneof(
  fc.constantFrom(
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'then',
    '',
  ),
  fc.constantFrom('title', 'tags', 'questions', 'answers', 'text', 'isCorrect', 'id', 'ownerId'),
  fc.string({ unit: 'binary', maxLength: 5 }),
);

/** JSON text in which a key may be `__proto__` as an own property, as `JSON.parse` makes it. */
const toJson = (value: unknown): string => JSON.stringify(value) ?? 'null';
const withMember = (json: string, key: string, value: unknown) =>
  json.replace(/\}$/, `${json === '{}' ? '' : ','}${JSON.stringify(key)}:${toJson(value)}}`);

/** A valid body in which one to three places were replaced, removed, repeated or given another member. */
function mutated(valid: () => object): Arbitrary<string> {
  const change = fc.record({
    at: fc.nat(),
    how: fc.constantFrom('replace', 'replace', 'remove', 'add', 'repeat'),
    key: oddKey,
    value: oddValue,
  });
  return fc.array(change, { minLength: 1, maxLength: 3 }).map((changes) => {
    const body = structuredClone(valid());
    for (const { at, how, key, value } of changes) {
      const places = placesOf(body);
      const place = places[at % places.length];
      if (!place) continue;
      const [holderOf, member] = place;
      if (how === 'replace') holderOf[member] = structuredClone(value);
      else if (how === 'remove') delete holderOf[member];
      else if (how === 'repeat' && Array.isArray(holderOf)) holderOf.push(holderOf[Number(member)]);
      else
        Object.defineProperty(holderOf, key, {
          // A copy: the generator gives the same object again, and one put into itself has no end.
          value: structuredClone(value),
          enumerable: true,
          configurable: true,
          writable: true,
        });
    }
    return toJson(body);
  });
}

function placesOf(value: unknown): [Record<string, unknown>, string][] {
  if (typeof value !== 'object' || value === null) return [];
  const parent = value as Record<string, unknown>;
  return Object.keys(parent).flatMap((key) => [
    [parent, key] as [Record<string, unknown>, string],
    ...placesOf(parent[key]),
  ]);
}

// What holds -------------------------------------------------------------------------------------

/** fast-check's report carries the seed; `counts` shows that a property reached what it is about. */
async function holds<T>(arbitrary: Arbitrary<T>, run: (input: T) => Promise<number>) {
  const counts = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(arbitrary, async (input) => {
      const status = await run(input);
      counts.set(status, (counts.get(status) ?? 0) + 1);
    }),
    RUNS,
  );
  return [...counts.keys()].sort();
}

const json = { 'content-type': 'application/json' };

it('reads with random query strings get no 500', async () => {
  const before = await state();
  const statuses = await holds(fc.tuple(path, query), ([at, search]) =>
    answered({ path: `/api/v1${at()}?${search}`, headers: withKey() }),
  );
  expect(statuses).toEqual([200, 400, 404]);
  expect(await state()).toEqual(before);
});

it('random paths with random methods get no 500', async () => {
  const segments = fc.array(
    fc.oneof(
      urlText,
      fc.constantFrom('api', 'v1', 'quizzes', 'questions', 'batch', '..', '.', 'health'),
    ),
    { maxLength: 5 },
  );
  const prefix = fc.constantFrom('/', '//', '/api/v1', '/api/v1/', '/api/v1/quizzes/', '/health/');
  const method = fc.constantFrom(
    'GET',
    'HEAD',
    'POST',
    'PUT',
    'PATCH',
    'DELETE',
    'OPTIONS',
    'PROPFIND',
  );
  const statuses = await holds(fc.tuple(method, prefix, segments), ([verb, start, rest]) =>
    answeredUnchanged({
      method: verb,
      path: `${start}${rest.join('/')}`.replace(/[\\#?]/g, ''),
      headers: withKey(json),
    }),
  );
  expect(statuses).toEqual(expect.arrayContaining([404, 405]));
});

it('malformed keys get 401 on every endpoint before the body is read', async () => {
  const flipped = fc.tuple(fc.nat(46), fc.constantFrom('0', 'a', 'Z', '_', '')).map(
    ([at, letter]) =>
      () =>
        account.key.slice(0, at) + letter + account.key.slice(at + 1),
  );
  const text = fc
    .oneof(
      flipped,
      fc
        .string({
          unit: fc
            .integer({ min: 0x20, max: 0xff })
            .filter((code) => code !== 0x7f)
            .map((code) => String.fromCharCode(code)),
        })
        .map((any) => () => any),
      fc
        .constantFrom(
          '',
          ' ',
          'svc_test_',
          'svc_live_',
          'undefined',
          'null',
          'Bearer',
          'a'.repeat(9_000),
        )
        .map((any) => () => any),
    )
    .filter((make) => make() !== account?.key);
  const form = fc.constantFrom(
    (key: string) => ({ headers: { authorization: `Bearer ${key}` } }),
    (key: string) => ({ headers: { authorization: `bearer  ${key}` } }),
    (key: string) => ({ headers: { authorization: `Basic ${key}` } }),
    (key: string) => ({ headers: { authorization: key } }),
    (key: string) => ({ headers: { 'x-api-key': key } }),
    (key: string) => ({ search: `?api_key=${encodeURIComponent(key)}` }),
    (key: string) => ({ search: `?apiKey=${encodeURIComponent(key)}` }),
    (key: string) => ({ search: `?api_key=${encodeURIComponent(key)}&api_key=${account.key}` }),
    (key: string) => ({ search: `?api_key[${encodeURIComponent(key)}]=${account.key}` }),
    (key: string) => ({ headers: { authorization: `Bearer ${key}`, 'x-api-key': account.key } }),
  );
  const endpoint = fc.constantFrom(
    'GET /quizzes',
    'POST /quizzes',
    'GET /quizzes/x',
    'GET /questions',
    'POST /quizzes/x/questions/batch',
  );
  const statuses = await holds(
    fc.tuple(endpoint, form, text, fc.string()),
    ([at, put, make, body]) => {
      const [method, target] = at.split(' ') as [string, string];
      const { headers = {}, search = '' } = put(make()) as {
        headers?: Record<string, string>;
        search?: string;
      };
      return answeredUnchanged({
        method,
        path: `/api/v1${target}${search}`,
        headers: { ...json, ...headers },
        ...(method === 'POST' && { body }),
      });
    },
  );
  expect(statuses).toEqual([401]);
});

const WRITES = [
  { name: 'creating a quiz', path: () => '/quizzes', valid: () => quizBody() },
  {
    name: 'importing a batch',
    path: () => `/quizzes/${ownQuiz}/questions/batch`,
    valid: () => ({
      questions: [
        questionBody(),
        questionBody({
          text: 'True?',
          type: 'TRUE_FALSE',
          answers: [
            { text: 'True', isCorrect: true },
            { text: 'False', isCorrect: false },
          ],
        }),
      ],
    }),
  },
];

describe.each(WRITES)('fuzzing $name', ({ path: at, valid }) => {
  const write = (body: string | Buffer, headers: Record<string, string> = json) =>
    answeredUnchanged({ method: 'POST', path: `/api/v1${at()}`, headers: withKey(headers), body });

  it('random JSON bodies get no 500', async () => {
    const any = fc
      .tuple(oddValue, fc.option(oddKey, { nil: undefined }), oddValue)
      .map(([value, key, other]) => {
        const text = toJson(value);
        return key !== undefined && /^\{.*\}$/s.test(text) ? withMember(text, key, other) : text;
      });
    const statuses = await holds(any, (body) => write(body));
    expect(statuses).toEqual([400, 422]);
  });

  it('a valid body with a random change gets no 500', async () => {
    const statuses = await holds(mutated(valid), (body) => write(body));
    expect(statuses).toEqual([201, 400, 422]);
  });

  it('random bytes under any content type and encoding get no 500', async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array)),
      fc.tuple(mutated(valid), fc.nat(), fc.nat(255)).map(([text, place, byte]) => {
        const buffer = Buffer.from(text);
        if (buffer.length > 0) buffer[place % buffer.length] = byte;
        return buffer;
      }),
      fc
        .tuple(fc.constant(toJson(valid())), fc.nat())
        .map(([text, end]) => Buffer.from(text.slice(0, end % text.length))),
    );
    const type = fc.constantFrom(
      'application/json',
      'application/json',
      'application/json',
      'application/json; charset=utf-16',
      'application/vnd.api+json',
      'text/json',
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      '',
    );
    const encoding = fc.constantFrom<Record<string, string>>(
      {},
      {},
      {},
      { 'content-encoding': 'gzip' },
      { 'content-encoding': 'br' },
      { 'content-encoding': 'x' },
    );
    const statuses = await holds(fc.tuple(bytes, type, encoding), ([body, contentType, encoded]) =>
      write(body, { ...(contentType && { 'content-type': contentType }), ...encoded }),
    );
    expect(statuses).toContain(400);
  });
});

it('batches into random quiz ids get no 500', async () => {
  const statuses = await holds(id, (which) =>
    which === 'own' || which === 'upper'
      ? Promise.resolve(0)
      : answeredUnchanged({
          method: 'POST',
          path: `/api/v1/quizzes/${quizAt(which).replace(/[\\#?]/g, '')}/questions/batch`,
          headers: withKey(json),
          body: toJson({ questions: [questionBody()] }),
        }),
  );
  expect(statuses).toEqual([0, 403, 404]);
});
