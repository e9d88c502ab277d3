import request from 'supertest';
import { CACHE_TTL_MS } from '../../src/access/api-keys/api-key-cache';
import { ApiKeysService } from '../../src/access/api-keys/api-keys.service';
import { SessionsService } from '../../src/access/sessions/sessions.service';
import { eventually } from '../support/clock';
import { signIn } from '../support/dashboard';
import { raw, RawConnection } from '../support/raw-http';
import { quizBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

let service: Service;
let account: TestAccount;
beforeAll(async () => {
  service = await startService();
  account = await service.account();
});
afterAll(() => service.close());

type Entry = Record<string, unknown>;

/** At least `count` entries of the log: the line of a request is written when its response has been sent. */
const entries = (wanted: (entry: Entry) => boolean, count = 1): Promise<Entry[]> =>
  eventually(() => {
    const found = service.log.map((line) => JSON.parse(line) as Entry).filter(wanted);
    if (found.length < count) throw new Error(`not in the log:\n${service.log.join('')}`);
    return found;
  });
const ofRequest = (response: { headers: Record<string, string> }) =>
  entries(
    ({ requestId, msg }) => requestId === response.headers['x-request-id'] && msg === 'request',
  );

describe('the access log', () => {
  it('a request is logged in one line with account, route, status and duration', async () => {
    const response = await account.post('/quizzes?from=here', quizBody()).expect(201);
    const lines = await ofRequest(response);
    expect(lines).toEqual([
      {
        level: 30,
        time: expect.any(String),
        requestId: response.headers['x-request-id'],
        accountId: account.accountId,
        keyId: expect.stringMatching(/^[\w-]{36}$/),
        method: 'POST',
        url: '/api/v1/quizzes?from=here',
        status: 201,
        ms: expect.any(Number),
        msg: 'request',
      },
    ]);
  });

  it('the line of a request names the API key, of a page the session', async () => {
    const [key] = await service.app.get(ApiKeysService).list(account.accountId);
    const uncached = await account.get('/quizzes?mine=true').expect(200);
    const cached = await account.get('/quizzes?mine=true').expect(200);
    for (const response of [uncached, cached])
      expect((await ofRequest(response))[0]).toMatchObject({ keyId: key?.id });
    const window = await signIn(service, account);
    const page = await window.open('/quizzes').expect(200);
    const [session] = await service.app.get(SessionsService).list(account.accountId);
    const [line] = await ofRequest(page);
    expect(line).toMatchObject({ accountId: account.accountId, session: session?.id.slice(-8) });
    expect(line).not.toHaveProperty('keyId');
  });

  it('the line of a request has the trace id of its traceparent, unless that is malformed', async () => {
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    for (const [traceparent, logged] of [
      [`00-${traceId}-b7ad6b7169203331-01`, traceId],
      [`00-${traceId}-"}`, undefined],
    ] as const) {
      const response = await request(service.url).get('/api/v1/metadata').set({ traceparent });
      const [line] = await ofRequest(response);
      expect(line?.traceId).toBe(logged);
    }
  });

  it.each([
    ['/api/v1/metadata', 200],
    ['/api/v1/quizzes', 401],
    ['/api/v1/nothing', 404],
    ['/foo', 404],
    ['/health/live', 200],
  ])(
    'a request for %s without a key is logged with status %i and no account',
    async (path, status) => {
      const response = await request(service.url).get(path).expect(status);
      const lines = await ofRequest(response);
      expect(lines).toEqual([
        expect.objectContaining({ level: 30, method: 'GET', url: path, status }),
      ]);
      expect(lines[0]).not.toHaveProperty('accountId');
    },
  );

  it('a malformed HTTP request is logged', async () => {
    const response = await raw(service.url, 'nonsense\r\n\r\n');
    const lines = await entries(({ requestId }) => requestId === response.headers['x-request-id']);
    expect(lines).toEqual([expect.objectContaining({ level: 30, status: 400 })]);
  });

  it('a request whose client disconnected is logged as such', async () => {
    const id = 'went-away-1';
    const connection = RawConnection.open(service.url);
    await connection.sent(
      Buffer.from(
        `POST /api/v1/quizzes HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${id}\r\nContent-Length: 99\r\n` +
          `Authorization: Bearer ${account.key}\r\nContent-Type: application/json\r\n\r\n{`,
      ),
    );
    // The service is reading the body when another request has been through it.
    await account.get('/quizzes').expect(200);
    connection.close();
    await connection.end();
    await account.get('/quizzes').expect(200);
    expect(await entries(({ requestId }) => requestId === id)).toEqual([
      expect.objectContaining({ level: 30, status: 499, aborted: true }),
    ]);
  });
});

describe('request ids', () => {
  it.each(['a', 'trace-1_2', 'A'.repeat(64), '0af7651916cd43dd8448eb211c80319c'])(
    "the client's request id %s is used",
    async (id) => {
      const response = await service.get('/metadata').set('X-Request-Id', id).expect(200);
      expect(response.headers['x-request-id']).toBe(id);
      expect((await ofRequest(response))[0]).toMatchObject({ requestId: id });
    },
  );

  it.each(['', ' ', 'a b', 'a'.repeat(65), 'a;b', '<script>', 'é', 'a, b', '{"a":1}'])(
    "the client's request id %j is replaced",
    async (id) => {
      const response = await raw(
        service.url,
        `GET /api/v1/metadata HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${id}\r\n\r\n`,
      );
      expect(response.headers['x-request-id']).toMatch(
        /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
      );
    },
  );

  it('a repeated X-Request-Id header is replaced by a new id', async () => {
    const response = await raw(
      service.url,
      'GET /foo HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\r\nX-Request-Id: b\r\n\r\n',
    );
    expect(response.headers['x-request-id']).toMatch(/^[\w-]{36}$/);
  });

  it('request ids generated by the service are unique', async () => {
    const ids = await Promise.all(
      Array.from(
        { length: 20 },
        async () => (await service.get('/metadata')).headers['x-request-id'],
      ),
    );
    expect(new Set(ids).size).toBe(20);
  });
});

describe('API keys in the log', () => {
  const secret = () => account.key.slice(9);

  it('an API key is not logged in whatever way it is sent', async () => {
    const { key } = account;
    const hex = (text: string) => Buffer.from(text).toString('hex').replace(/../g, '%$&');
    const urls = [
      `/quizzes?api_key=${key}`,
      `/quizzes?apiKey=${key}&limit=1`,
      `/quizzes?api%5Fkey=${key}`,
      `/quizzes?%61%70%69%4B%65%79=${key}`,
      `/quizzes?api_key=${hex(key)}`,
      `/quizzes?api_key=${key}&api_key=${key}`,
      `/quizzes?api_key[a]=${key}`,
      `/quizzes?API_KEY=${key}`,
      `/quizzes?topic=${key}`,
      `/quizzes?topic=${hex(key)}`,
      `/quizzes?${key}`,
      `/quizzes?difficulty=${key}`,
      `/quizzes/${key}`,
      `/quizzes/${hex(key)}`,
      `/questions?quiz_id=${key}`,
      `/${key}`,
    ];
    service.log.length = 0;
    for (const url of urls) await service.get(url);
    const header = (name: string, value: string) => service.get('/quizzes').set(name, value);
    await header('Authorization', `Bearer ${key}`).expect(200);
    await header('X-Api-Key', key).expect(200);
    await header('Authorization', `Basic ${key}`).expect(401);
    await header('Referer', `https://x.example/?api_key=${key}`);
    await header('Cookie', `key=${key}`);
    await header('User-Agent', key);
    await header('X-Request-Id', key);
    await header('X-Forwarded-For', key);
    await request(service.url).get(`/${key}`).expect(404);
    await raw(service.url, `GET /${key} nonsense\r\n\r\n`);
    await raw(service.url, `GET / HTTP/1.1\r\nHost: x\r\nAuthorization: ${key}\x01\r\n\r\n`);
    await entries(({ msg }) => msg === 'request', urls.length + 9);
    const log = service.log.join('');
    expect(log).not.toContain(secret());
    expect(decodeURIComponent(log)).not.toContain(secret());
  });

  it('an API key is not logged when its request fails', async () => {
    // The service remembers who has just called, and would not ask the database.
    service.clock.advance(CACHE_TTL_MS);
    service.log.length = 0;
    await service.database.query('ALTER TABLE api_keys RENAME COLUMN hash TO hash_away');
    try {
      await service.get(`/quizzes?api_key=${account.key}`).expect(500);
      await account.get('/quizzes').expect(500);
    } finally {
      await service.database.query('ALTER TABLE api_keys RENAME COLUMN hash_away TO hash');
    }
    const lines = await entries(({ status }) => status === 500, 2);
    expect(lines.map(({ level }) => level)).toEqual([50, 50]);
    expect(service.log.join('')).not.toContain(secret());
    expect(service.log.join('')).not.toContain('"parameters"');
  });

  it('an API key is in no response, links included', async () => {
    for (const url of ['/questions', '/quizzes', '/quizzes/nothing', '/questions?limit=x']) {
      const glue = url.includes('?') ? '&' : '?';
      const response = await service.get(`${url}${glue}api_key=${account.key}`);
      expect(response.text + JSON.stringify(response.headers)).not.toContain(secret());
    }
  });
});
