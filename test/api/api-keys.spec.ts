import { AccountAdministrationService } from '../../src/access/administration/account-administration.service';
import { writeLastUses } from '../../src/access/api-keys/api-key.queries';
import { generateKey } from '../../src/access/api-keys/api-key.rules';
import { CACHE_TTL_MS } from '../../src/access/api-keys/api-key-cache';
import { ApiKeysService } from '../../src/access/api-keys/api-keys.service';
import { waitForLocks } from '../support/locks';
import { quizBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

/** Specification, part 5, and the contract's "401 text", "Several keys" and "Key format". */

let service: Service;
let pro: TestAccount;

beforeAll(async () => {
  service = await startService();
  service.clock.stop();
  pro = await service.account();
});
afterAll(() => service.close());

interface Sent {
  headers?: Record<string, string>;
  query?: string;
}

/** Lists the quizzes that the caller may see: none is public, so the total shows whose key it was. */
async function ask({ headers = {}, query = '' }: Sent) {
  return service.get(`/quizzes${query && `?${query}`}`).set(headers);
}

async function accepts(sent: Sent): Promise<boolean> {
  const response = await ask(sent);
  if (response.status === 200) return true;
  expect(response.status).toBe(401);
  expect(response.body).toEqual({ success: false, error: 'Invalid API key.' });
  expect(response.headers['www-authenticate']).toBe('Bearer');
  return false;
}

const bearer = (key: string) => ({ headers: { Authorization: `Bearer ${key}` } });
const issue = (expiresAt: Date | null = null) =>
  service.app.get(ApiKeysService).issue(pro.accountId, 'test', { expiresAt });

describe('API key authentication', () => {
  test.each<[string, (key: string) => Sent]>([
    ['Authorization: Bearer', bearer],
    ['authorization: bearer', (key) => ({ headers: { authorization: `bearer ${key}` } })],
    ['Authorization: BEARER', (key) => ({ headers: { Authorization: `BEARER   ${key} ` } })],
    ['X-Api-Key', (key) => ({ headers: { 'X-Api-Key': key } })],
    ['x-api-key', (key) => ({ headers: { 'x-api-key': ` ${key} ` } })],
    ['api_key', (key) => ({ query: `api_key=${key}` })],
    ['apiKey', (key) => ({ query: `limit=5&apiKey=${key}` })],
    [
      'another scheme beside X-Api-Key',
      (key) => ({
        headers: { Authorization: 'Basic YTpi', 'X-Api-Key': key },
      }),
    ],
  ])('a valid key is accepted by %s', async (_, place) => {
    expect(await accepts(place(pro.key))).toBe(true);
  });

  test('a request runs as the account that holds its key', async () => {
    const [holder, other] = [await service.account(), await service.account()];
    await holder.post('/quizzes', quizBody({ title: 'Mine', published: false })).expect(201);
    const seen = async (key: string) =>
      ((await ask({ query: `api_key=${key}` })).body as { meta: { total: number } }).meta.total;
    expect(await seen(holder.key)).toBe(1);
    expect(await seen(other.key)).toBe(0);
  });

  test('a POST accepts a key in the query', async () => {
    await service.post(`/quizzes?api_key=${pro.key}`, quizBody()).expect(201);
  });
});

test.each(['', ' ', 'x'.repeat(61), 'a\0b'])(
  'a key with the name %j is not issued',
  async (name) => {
    await expect(service.app.get(ApiKeysService).issue(pro.accountId, name)).rejects.toThrow(
      'Give the key a name of 1 to 60 characters',
    );
  },
);

describe('a request with several keys uses the first of header, X-Api-Key and query', () => {
  const wrong = 'svc_test_wrong';

  test.each<[string, (key: string) => Sent, (key: string) => Sent]>([
    [
      'Bearer, then X-Api-Key',
      (key) => ({ headers: { Authorization: `Bearer ${key}` } }),
      (key) => ({ headers: { 'X-Api-Key': key } }),
    ],
    [
      'X-Api-Key, then api_key',
      (key) => ({ headers: { 'X-Api-Key': key } }),
      (key) => ({ query: `api_key=${key}` }),
    ],
    [
      'api_key, then apiKey',
      (key) => ({ query: `api_key=${key}` }),
      (key) => ({ query: `apiKey=${key}` }),
    ],
    [
      'Bearer, then apiKey',
      (key) => ({ headers: { Authorization: `Bearer ${key}` } }),
      (key) => ({ query: `apiKey=${key}` }),
    ],
  ])('%s', async (_, first, second) => {
    const both = (a: Sent, b: Sent): Sent => ({
      headers: { ...b.headers, ...a.headers },
      query: [b.query, a.query].filter(Boolean).join('&'),
    });
    expect(await accepts(both(first(pro.key), second(wrong)))).toBe(true);
    expect(await accepts(both(first(wrong), second(pro.key)))).toBe(false);
  });

  test.each<[string, Sent]>([
    ['Authorization: Bearer', { headers: { Authorization: 'Bearer' } }],
    ['X-Api-Key:', { headers: { 'X-Api-Key': '' } }],
    ['api_key=', { query: 'api_key=' }],
  ])('a key after an empty %s is not used', async (_, { headers, query }) => {
    expect(await accepts({ headers, query: `${query ?? ''}&apiKey=${pro.key}` })).toBe(false);
  });
});

describe('repeated and nested keys in the query', () => {
  test.each([
    (key: string) => `api_key=${key}&api_key=${key}`,
    (key: string) => `api_key[]=${key}`,
    (key: string) => `api_key[x]=${key}`,
    (key: string) => `api_key=${key}&api_key[x]=1`,
    (key: string) => `api_key[x]=1&api_key=${key}`,
    (key: string) => `apiKey=${key}&apiKey=${key}`,
    (key: string) => `apiKey[0]=${key}`,
    (key: string) => `api_key=a&api_key=b&apiKey=${key}`,
    (key: string) => `API_KEY=${key}`,
  ])('a repeated or nested key in the query gets 401: case %#', async (query) => {
    expect(await accepts({ query: query(pro.key) })).toBe(false);
  });
});

describe('an invalid key gets 401 with one message', () => {
  test('a request without a key gets 401', async () => {
    expect(await accepts({})).toBe(false);
  });

  test.each<[string, (key: string) => string]>([
    ['empty', () => ''],
    ['malformed', () => 'svc_test_123'],
    ['no key at all', () => 'null'],
    ['too long', (key) => `${key}a`],
    ['too short', (key) => key.slice(0, -1)],
    ['mistyped', (key) => key.slice(0, 20) + (key[20] === 'a' ? 'b' : 'a') + key.slice(21)],
    ['of a wrong checksum', (key) => key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')],
    ['in upper case', (key) => key.toUpperCase()],
    ['unknown', () => generateKey('test')],
    ['of the other environment', () => generateKey('live')],
    ['of no environment', (key) => key.replace('svc_test_', 'svc_prod_')],
    ['two in one', (key) => `${key}, ${key}`],
    ['an injection', () => "' OR '1'='1"],
  ])('%s', async (_, spoil) => {
    expect(await accepts(bearer(spoil(pro.key)))).toBe(false);
    expect(await accepts({ query: `api_key=${encodeURIComponent(spoil(pro.key))}` })).toBe(false);
  });

  test('a key is refused from the moment it expires', async () => {
    const { key } = await issue(new Date(service.clock.now().getTime() + 60_000));
    service.clock.advance(59_999);
    expect(await accepts(bearer(key))).toBe(true);
    // Its account is still cached.
    service.clock.advance(1);
    expect(await accepts(bearer(key))).toBe(false);
  });

  test("a revoked key is refused at once, and the account's other keys keep working", async () => {
    const { key, stored } = await issue();
    expect(await accepts(bearer(key))).toBe(true);
    await service.app.get(ApiKeysService).revoke(stored.id);
    expect(await accepts(bearer(key))).toBe(false);
    expect(await accepts(bearer(pro.key))).toBe(true);
  });

  test('the hash of a key is not read with the key', async () => {
    const { stored } = await issue();
    const [key] = await service.app.get(ApiKeysService).list(pro.accountId);
    expect(key).toMatchObject({ id: stored.id });
    expect(key?.hash).toBeUndefined();
  });

  test('a key rotated without an overlap is refused at once', async () => {
    const { key, stored } = await issue();
    expect(await accepts(bearer(key))).toBe(true);
    const { key: next } = await service.app.get(ApiKeysService).rotate(pro.accountId, stored.id, 0);
    expect(await accepts(bearer(key))).toBe(false);
    expect(await accepts(bearer(next))).toBe(true);
  });

  test('the key of a disabled account is refused at once, and works again when the account is enabled', async () => {
    const administrator = await service.account('free', { isAdmin: true });
    const account = await service.account();
    expect(await accepts(bearer(account.key))).toBe(true);
    for (const disabled of [true, false]) {
      await service.app
        .get(AccountAdministrationService)
        .setDisabled(administrator, account.accountId, disabled);
      expect(await accepts(bearer(account.key))).toBe(!disabled);
    }
  });

  test('a key revoked or disabled by another process is refused within five seconds', async () => {
    const revoked = await issue();
    const disabled = await service.account();
    expect(await accepts(bearer(revoked.key))).toBe(true);
    expect(await accepts(bearer(disabled.key))).toBe(true);
    // Not through the services of this process, and so unknown to it.
    await service.database.query('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [
      revoked.stored.id,
    ]);
    await service.database.query('UPDATE accounts SET disabled_at = now() WHERE id = $1', [
      disabled.accountId,
    ]);
    service.clock.advance(CACHE_TTL_MS);
    expect(await accepts(bearer(revoked.key))).toBe(false);
    expect(await accepts(bearer(disabled.key))).toBe(false);
  });

  test('a repeated X-Api-Key header gets 401', async () => {
    const response = await fetch(`${service.url}/api/v1/quizzes`, {
      headers: [
        ['X-Api-Key', pro.key],
        ['X-Api-Key', pro.key],
      ],
    });
    expect(response.status).toBe(401);
  });
});

test('metadata and categories are served without a key and with an invalid one', async () => {
  for (const path of ['/metadata', '/categories']) {
    await service.get(path).expect(200);
    await service.get(path).set('Authorization', 'Bearer nonsense').expect(200);
  }
});

test.each([
  ['get', '/quizzes'],
  ['get', '/quizzes/x'],
  ['get', '/questions'],
  ['get', '/questions?quiz_id=x'],
  ['post', '/quizzes'],
  ['post', '/quizzes/x/questions/batch'],
] as const)('%s %s needs a key', async (method, path) => {
  const response = await service[method](path).expect(401);
  expect(response.body).toEqual({ success: false, error: 'Invalid API key.' });
});

test('a live deployment accepts live keys only', async () => {
  const live = await startService({ KEY_ENVIRONMENT: 'live' });
  try {
    const account = await live.account();
    expect(account.key).toMatch(/^svc_live_/);
    await account.get('/quizzes').expect(200);
    await live.get('/quizzes').set('X-Api-Key', generateKey('test')).expect(401);
  } finally {
    await live.close();
  }
});

test('only the hash of a key is stored', async () => {
  const { key, stored } = await issue();
  const rows = await service.database.query<{ row: string }[]>(
    'SELECT k::text AS row FROM api_keys k',
  );
  expect(rows.map(({ row }) => row).join()).not.toContain(key.slice(9, 30));
  expect(stored).toMatchObject({ prefix: 'svc_test_', lastFour: key.slice(-4) });
});

test('last uses lock their keys in the order of the ids, whatever that of the uses', async () => {
  const ids = [(await issue()).stored.id, (await issue()).stored.id].sort();
  const [lower, higher] = ids as [string, string];
  // Its row is now behind the other's: the order of the table is not that of the ids.
  await service.database.query(`UPDATE api_keys SET name = 'moved' WHERE id = $1`, [lower]);
  const at = new Date();
  const lockKey = 'SELECT FROM api_keys WHERE id = $1 FOR NO KEY UPDATE';
  let written: Promise<void> = Promise.resolve();
  await service.database.transaction(async (tx) => {
    await tx.query(lockKey, [lower]);
    written = writeLastUses(service.database, new Map([higher, lower].map((id) => [id, at])));
    await waitForLocks(service.database, 1);
    await tx.query(`${lockKey} NOWAIT`, [higher]);
  });
  await written;
  const rows = await service.database.query<{ last_used_at: Date }[]>(
    'SELECT last_used_at FROM api_keys WHERE id = ANY ($1)',
    [ids],
  );
  expect(rows).toEqual([{ last_used_at: at }, { last_used_at: at }]);
});

test('a key sent in any place appears in no log line', async () => {
  const { key } = await issue();
  const encoded = key.replaceAll('_', '%5F');
  const hidden = [...key].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('');
  service.log.length = 0;
  const paths = [
    `/quizzes?api_key=${key}`,
    `/quizzes?apiKey=${key}&limit=1`,
    `/quizzes?api_key=${encoded}`,
    `/quizzes?%61pi_key=${hidden}`,
    `/quizzes?api_key[x]=${key}`,
    `/quizzes?topic=${key}`,
    `/quizzes?limit=${key}`,
    `/quizzes?topic=${hidden}`,
    `/quizzes?${key}`,
    `/quizzes/${key}`,
    `/quizzes/${encoded}`,
    `/no/${key}/route?x=1`,
    `/quizzes?api_key=${key}?api_key=${key}`,
    `/quizzes/%zz${key}`,
  ];
  for (const path of paths) await service.get(path);
  for (const name of [
    'Authorization',
    'X-Api-Key',
    'X-Request-Id',
    'Referer',
    'User-Agent',
    'Cookie',
  ])
    await service.get('/quizzes').set(name, key);
  await service.get('/quizzes').set('Authorization', `Bearer ${key}`);
  await service.post(`/quizzes?api_key=${key}`, `{"title":"${key}`);
  await service.post('/quizzes', { title: key }).set('X-Api-Key', key);
  const requests = service.log.filter((line) => line.includes('"request"'));
  expect(requests.length).toBeGreaterThanOrEqual(paths.length + 9);
  const secret = key.slice('svc_test_'.length);
  for (const line of service.log) {
    expect(line).not.toContain(secret);
    expect(decodeURIComponent(line.replace(/%(?![0-9a-f]{2})/gi, ''))).not.toContain(secret);
  }
});
