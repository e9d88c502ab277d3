import { Client } from 'pg';
import { lockKeyRates } from '../../src/access/api-keys/api-key.queries';
import { generateKey } from '../../src/access/api-keys/api-key.rules';
import { ApiKeysService } from '../../src/access/api-keys/api-keys.service';
import { OPERATOR } from '../../src/access/audit/actor';
import { KeyRatesService } from '../../src/access/rate-limit/key-rates.service';
import { LIMITS } from '../../src/platform/limits/limits';
import { eventually } from '../support/clock';
import { type Service, startService, type TestAccount } from '../support/service';
import { signedIn } from '../support/visitor';

/** Keys whose requests are counted by key: an extension of the specification, part 8. */

let service: Service;
let keys: ApiKeysService;
let platform: TestAccount;
let sent = 0;
beforeEach(async () => {
  service = await startService({ TRUST_PROXY: '1', RATE_LIMIT_PER_MINUTE: '3' });
  keys = service.app.get(ApiKeysService);
  platform = await service.account('pro');
});
afterEach(() => service.close());

const idOf = async () => (await keys.list(platform.accountId))[0]!.id;
/** As every five seconds. */
const readAgain = () => service.app.get(KeyRatesService, { strict: false }).read();
/** Gives the platform's key a rate, and lets the process read it again. */
const setRate = async (perMinute: number | null) => {
  await keys.setRate(OPERATOR, await idOf(), perMinute);
  await readAgain();
};
const from = (address: string, account?: TestAccount) => {
  const sent = service.get(account ? '/me' : '/metadata').set('X-Forwarded-For', address);
  return account ? sent.set('Authorization', `Bearer ${account.key}`) : sent;
};

test('a key with a rate of its own is counted by key, and leaves its address its own requests', async () => {
  await setRate(5);
  for (let left = 4; left >= 0; left--) {
    const { headers, body } = await from(`203.0.113.${left}`, platform).expect(200);
    expect([headers['ratelimit-limit'], headers['ratelimit-remaining']]).toEqual(['5', `${left}`]);
    expect(body.data.rateLimit).toMatchObject({ per: 'key', limit: 5, remaining: left });
  }
  const { headers, body } = await from('203.0.113.9', platform).expect(429);
  expect(headers['retry-after']).toMatch(/^[1-9]\d?$/);
  expect(body.error).toBe('Rate limit exceeded. Please try again later.');
  for (const remaining of ['2', '1', '0']) {
    const { headers } = await from('203.0.113.9').expect(200);
    expect([headers['ratelimit-limit'], headers['ratelimit-remaining']]).toEqual(['3', remaining]);
  }
  await from('203.0.113.9').expect(429);
});

test('an address that has used up its requests leaves a key with a rate its own, and other keys none', async () => {
  const other = await service.account('pro');
  await setRate(5);
  for (const status of [200, 200, 200, 429]) await from('203.0.113.1').expect(status);
  await from('203.0.113.1', other).expect(429);
  const { body } = await from('203.0.113.1', platform).expect(200);
  expect(body.data.rateLimit).toMatchObject({ per: 'key', remaining: 4 });
});

test('by default, and again without a rate, the address counts', async () => {
  const first = await from('203.0.113.1', platform).expect(200);
  expect(first.body.data.rateLimit).toMatchObject({ per: 'address', limit: 3, remaining: 2 });
  await setRate(5);
  await setRate(null);
  const { body } = await from('203.0.113.1', platform).expect(200);
  expect(body.data.rateLimit).toMatchObject({ per: 'address', limit: 3, remaining: 1 });
});

test('the rate of a revoked key, and of one that does not exist, is that of the address', async () => {
  await setRate(5);
  await keys.revoke(await idOf());
  await readAgain();
  for (const account of [platform, { ...platform, key: generateKey('test') }]) {
    const address = `203.0.113.${(sent += 1)}`;
    for (const status of [401, 401, 401, 429]) await from(address, account).expect(status);
  }
});

test('a rotated key passes its rate on', async () => {
  await setRate(5);
  const { stored } = await keys.rotate(platform.accountId, await idOf(), 0);
  expect(stored.requestsPerMinute).toBe(5);
});

test.each([0, -1, 1.5, 6_001, Number.NaN])('a rate of %s is refused', async (perMinute) => {
  await expect(keys.setRate(OPERATOR, await idOf(), perMinute)).rejects.toThrow(
    'A rate is a whole number of requests a minute, from 1 to 6,000',
  );
});

test('a key that stands in web pages has no rate of its own', async () => {
  const { stored } = await keys.issue(platform.accountId, 'Page', { scopes: ['play'] });
  await expect(keys.setRate(OPERATOR, stored.id, 5)).rejects.toThrow(
    'A key with only the scope play stands in web pages',
  );
});

test('a key that no longer works takes no rate, and the audit log says nothing of one', async () => {
  const { stored: expired } = await keys.issue(platform.accountId, 'Old', {
    expiresAt: new Date(service.clock.now().getTime() - 1),
  });
  const id = await idOf();
  const { id: revoked } = await keys.revoke(id);
  for (const dead of [expired.id, revoked])
    await expect(keys.setRate(OPERATOR, dead, 5)).rejects.toThrow(
      /^The key “.+” no longer works\. Create a new one instead\.$/,
    );
  const rows = await service.database.query<object[]>(
    `SELECT FROM audit_entries WHERE action = 'key.rate-changed'`,
  );
  expect(rows).toEqual([]);
});

/** Adds keys that have a rate, of the platform or another account. */
const addWithRate = (count: number, expiresAt: Date | null = null, { accountId } = platform) =>
  service.database.query(
    `INSERT INTO api_keys (id, account_id, name, hash, prefix, last_four, created_at, expires_at, scopes, origins, requests_per_minute)
     SELECT gen_random_uuid(), $1, 'n', sha256(n::text::bytea), 'svc_test_', 'aaaa', now(), $3, '{read}', '{}', 5
     FROM generate_series(1, $2::int) AS n`,
    [accountId, count, expiresAt],
  );
const MOST = LIMITS.accounts.keysWithRate.value;

test('at most 1,000 keys have a rate of their own', async () => {
  await addWithRate(MOST - 1);
  const { stored } = await keys.issue(platform.accountId, 'One more');
  await keys.setRate(OPERATOR, stored.id, 5);
  const { stored: next } = await keys.issue(platform.accountId, 'Too many');
  await expect(keys.setRate(OPERATOR, next.id, 5)).rejects.toThrow(
    '1,000 keys have a rate of their own, the most there may be.',
  );
  await keys.setRate(OPERATOR, stored.id, 7);
});

test('a rotation with an overlap gives no more than 1,000 keys a rate of their own', async () => {
  const id = await idOf();
  await keys.setRate(OPERATOR, id, 5);
  await addWithRate(MOST - 1, null, await service.account());
  await expect(keys.rotate(platform.accountId, id, 60_000)).rejects.toThrow(
    '1,000 keys have a rate of their own, the most there may be. Revoke the old key immediately',
  );
  expect((await keys.rotate(platform.accountId, id, 0)).stored.requestsPerMinute).toBe(5);
});

test('a key without a rate is rotated while others change rates', async () => {
  const id = await idOf();
  await service.database.transaction(async (tx) => {
    await lockKeyRates(tx);
    const { stored } = await keys.rotate(platform.accountId, id, 0);
    expect(stored.requestsPerMinute).toBeNull();
  });
});

test('concurrent changes give no more than 1,000 keys a rate of their own', async () => {
  await addWithRate(MOST - 1);
  const issued = [1, 2, 3, 4].map((n) => keys.issue(platform.accountId, `Key ${n}`));
  const ids = (await Promise.all(issued)).map(({ stored }) => stored.id);
  const changes = await Promise.allSettled(ids.map((id) => keys.setRate(OPERATOR, id, 5)));
  expect(changes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('expired keys do not count towards the keys with a rate of their own', async () => {
  const id = await idOf();
  await addWithRate(MOST, service.clock.now());
  await keys.setRate(OPERATOR, id, 5);
  await readAgain();
  const { headers } = await from('203.0.113.1', platform).expect(200);
  expect(headers['ratelimit-limit']).toBe('5');
});

test('of more keys with a rate than there may be, the newest have theirs', async () => {
  await service.database.query(
    `INSERT INTO api_keys (id, account_id, name, hash, prefix, last_four, created_at, scopes, origins, requests_per_minute)
     SELECT lpad(n::text, 32, '0')::uuid, $1, 'n', sha256(n::text::bytea), 'svc_test_', 'aaaa', now(), '{read}', '{}', 5
     FROM generate_series(1, $2::int) AS n`,
    [(await service.account()).accountId, LIMITS.accounts.keysWithRate.value],
  );
  await service.database.query(
    'UPDATE api_keys SET requests_per_minute = 5 WHERE account_id = $1',
    [platform.accountId],
  );
  await readAgain();
  const { headers } = await from('203.0.113.1', platform).expect(200);
  expect(headers['ratelimit-limit']).toBe('5');
});

test('a changed rate holds after five seconds', async () => {
  service.clock.stop();
  await keys.setRate(OPERATOR, await idOf(), 5);
  service.clock.advance(5_001);
  await eventually(async () => {
    const { headers } = await from(`203.0.113.${(sent += 1)}`, platform);
    expect(headers['ratelimit-limit']).toBe('5');
  });
});

test('no request waits for the rates while the database hangs', async () => {
  await setRate(5);
  await from('203.0.113.1').expect(200);
  const locker = new Client({ connectionString: service.databaseUrl });
  await locker.connect();
  try {
    await locker.query('BEGIN; LOCK TABLE api_keys');
    service.clock.advance(5_001);
    const { headers } = await from('203.0.113.2').expect(200);
    expect(headers['ratelimit-limit']).toBe('3');
  } finally {
    await locker.end();
  }
});

test('what is known of rates holds while the database cannot be asked', async () => {
  await setRate(5);
  await from('203.0.113.1', platform).expect(200);
  await service.database.query(`ALTER TABLE api_keys RENAME COLUMN requests_per_minute TO gone`);
  await readAgain();
  const { headers } = await from('203.0.113.1', platform);
  expect(headers['ratelimit-limit']).toBe('5');
});

test('an administrator gives a key its rate on the page of its account, which is in the audit log', async () => {
  const { visitor: session } = await signedIn(service, 'pro', { isAdmin: true });
  const page = `/dashboard/admin/accounts/${platform.accountId}`;
  const id = await idOf();
  const shown = await session.get(page);
  expect(shown.text).toContain('Rates of API keys');
  const refused = await session.post(`${page}/rate`, { key: id, requestsPerMinute: '0' });
  expect(refused.status).toBe(422);
  expect(refused.text).toContain('A rate is a whole number of requests a minute, from 1 to 6,000');
  // The refused form keeps its input, and the other forms of the page keep their values.
  expect(refused.text).toMatch(/<input[^>]*value="0"[^>]*name="requestsPerMinute"/);
  expect(refused.text).toMatch(new RegExp(`<input[^>]*value="${platform.email}"[^>]*name="email"`));
  await session.post(`${page}/rate`, { key: id, requestsPerMinute: '600' });
  expect((await session.get(page)).text).toContain('600 a minute');
  const fraction = await session.post(`${page}/rate`, { key: id, requestsPerMinute: '6,5' });
  expect(fraction.status).toBe(422);
  await session.post(`${page}/rate`, { key: id, requestsPerMinute: '6,000' }).expect(303);
  await session.post(`${page}/rate`, { key: id, requestsPerMinute: '' });
  const rows = await service.database.query<{ detail: string }[]>(
    `SELECT detail FROM audit_entries WHERE action = 'key.rate-changed' ORDER BY id`,
  );
  expect(rows.map(({ detail }) => detail)).toEqual([
    `account ${platform.accountId}, requests counted by address to by key, 600 a minute`,
    `account ${platform.accountId}, requests counted by key, 600 a minute to by key, 6000 a minute`,
    `account ${platform.accountId}, requests counted by key, 6000 a minute to by address`,
  ]);
});
