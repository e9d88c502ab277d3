import { gzipSync } from 'node:zlib';
import { type Service, startService, type TestAccount } from '../support/service';

/** The contract's "Body": what is read, what is 400, what is 413. */

const MIB = 1_048_576;

let service: Service;
let pro: TestAccount;

beforeAll(async () => {
  service = await startService();
  pro = await service.account('pro');
});
afterAll(() => service.close());

/** Bytes as they are, which supertest would serialise. */
async function send(
  body: string | Uint8Array | undefined,
  headers: Record<string, string> = { 'Content-Type': 'application/json' },
) {
  const response = await fetch(`${service.url}/api/v1/quizzes`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${pro.key}`, ...headers },
    body: body === undefined ? null : new Uint8Array(Buffer.from(body)),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const json = '{"title":"Ünïcode","difficulty":"EASY"}';
const refusal = (status: number, error: string) => ({ status, body: { success: false, error } });

test.each([
  'application/json',
  'APPLICATION/JSON',
  'application/json; charset=utf-8',
  'application/json;charset="UTF-8"',
  'application/vnd.quiz.v1+json',
  'application/problem+json ; charset=utf-8',
])('content type %s is read as JSON', async (type) => {
  const response = await send(json, { 'Content-Type': type });
  expect(response).toMatchObject({ status: 201, body: { data: { title: 'Ünïcode' } } });
});

test.each([
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'text/json',
  'application/jsonp',
  'application/xml',
  'application/x-json-stream',
])('content type %s gets 400', async (type) => {
  expect(await send(json, { 'Content-Type': type })).toEqual(
    refusal(400, 'Send the body as JSON, with the header Content-Type: application/json.'),
  );
});

test('a body without a content type is refused', async () => {
  expect((await send(Buffer.from(json), {})).status).toBe(400);
});

test('an empty body is refused', async () => {
  const empty = refusal(400, 'The body is empty. Send it as JSON.');
  expect(await send(undefined)).toEqual(empty);
  expect(await send('')).toEqual(empty);
});

test.each([
  ['{', 1, 2],
  ['{"title":"x",}', 1, 14],
  ["{'title':'x'}", 1, 2],
  ['title=x', 1, 1],
  ['{"a":1}{"b":2}', 1, 8],
  ['\u0000', 1, 1],
  ['NaN', 1, 1],
  [' ', 1, 2],
  ['{\n  "title": "é",\r\n  "difficulty" "EASY"\n}', 3, 16],
  ['{"title": "ends', 1, 11],
  ['// no comments\n{}', 1, 1],
])('the body %j is refused as JSON, with the position of its error', async (body, line, column) => {
  const error = `The body is not valid JSON at line ${line}, column ${column}.`;
  expect(await send(body)).toEqual(refusal(400, error));
});

test('the position of an error is not searched for in more than 256 KiB, nor in many levels', async () => {
  const nowhere = refusal(400, 'The body is not valid JSON.');
  expect(await send('['.repeat(200_000))).toEqual(nowhere);
  expect(await send(`[${'{},'.repeat(100_000)}x`)).toEqual(nowhere);
  expect((await send(`[${'{},'.repeat(80_000)}x`)).body.error).toBe(
    'The body is not valid JSON at line 1, column 240002.',
  );
});

test.each(['latin1', 'ISO-8859-1', '"utf-16"', 'utf-8x'])(
  'a body of charset %s is refused, whatever its bytes',
  async (charset) => {
    const type = { 'Content-Type': `application/json; charset=${charset}` };
    expect(await send('{"title":"T","difficulty":"EASY"}', type)).toEqual(
      refusal(400, 'Send the body in UTF-8: no other charset is supported for JSON.'),
    );
  },
);

test('a name that a JSON object has twice has its last value', async () => {
  const { status, body } = await send('{"title":"First","difficulty":"EASY","title":"Last"}');
  expect(status).toBe(201);
  expect(body).toMatchObject({ data: { title: 'Last' } });
});

test('a body with a byte order mark is read', async () => {
  expect((await send(`\ufeff${json}`)).status).toBe(201);
});

test('a body in invalid UTF-8 is refused, never repaired', async () => {
  const latin1 = Buffer.from(json, 'latin1');
  const refused = refusal(400, 'The body is not valid UTF-8. Save or encode it as UTF-8.');
  expect(await send(latin1)).toEqual(refused);
  // An overlong "/" and a surrogate in UTF-8.
  for (const bytes of [
    [0xc0, 0xaf],
    [0xed, 0xa0, 0x80],
  ]) {
    const body = Buffer.concat([Buffer.from('{"title":"'), Buffer.from(bytes), Buffer.from('"}')]);
    expect(await send(body)).toEqual(refused);
  }
});

test('a body of 1 MiB is read, and one byte more gets 413', async () => {
  expect((await send(json.padEnd(MIB - 2))).status).toBe(201);
  const tooLarge = refusal(413, 'The body is larger than 1 MiB. Send less in one request.');
  expect(await send(json.padEnd(MIB - 1))).toEqual(tooLarge);
  expect(await send(Buffer.alloc(5 * MIB, ' '))).toEqual(tooLarge);
});

test('a gzipped body is read, and limited by its inflated size', async () => {
  const gzip = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
  expect((await send(gzipSync(json), gzip)).status).toBe(201);
  expect((await send(gzipSync(Buffer.alloc(20 * MIB, ' ')), gzip)).status).toBe(413);
  expect(await send(json, gzip)).toEqual(
    refusal(400, 'The body could not be read. Send it whole, as JSON in UTF-8.'),
  );
  expect(await send(json, { ...gzip, 'Content-Encoding': 'rot13' })).toEqual(
    refusal(
      400,
      'The Content-Encoding of the body is not supported. Send it as it is, or with gzip.',
    ),
  );
});

test('a body nested 32 levels is read, and 33 or 100,000 levels are refused', async () => {
  const nested = (levels: number) =>
    `{"title":"T","difficulty":"EASY","x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
  expect((await send(nested(32))).status).toBe(201);
  const tooDeep = refusal(
    400,
    'The body is nested more than 32 levels deep. Send it with fewer levels.',
  );
  expect(await send(nested(33))).toEqual(tooDeep);
  expect(await send(nested(100_000))).toEqual(tooDeep);
});

test('a body with too many values is refused before validation', async () => {
  const many = `{"questions":[${'{},'.repeat(340_000)}{}]}`;
  expect((await send(many)).status).toBe(413);
  expect((await send(`{"x":[${'"\\u0000",'.repeat(100_000)}1]}`)).status).toBe(413);
});

test('a huge field name with many errors gets a short response', async () => {
  const name = 'n'.repeat(500_000);
  const body = JSON.stringify({ [name]: Array<string>(5_000).fill('\0') });
  const response = await send(body);
  expect(response.status).toBe(422);
  expect(JSON.stringify(response.body).length).toBeLessThan(MIB);
});
