import { type AddressInfo, createConnection, createServer } from 'node:net';
import { Client } from 'pg';
import request, { type Response } from 'supertest';
import { startWorker } from '../../src/app/start-worker';
import { loadConfig } from '../../src/platform/config/config';
import { migrate } from '../../src/platform/database/migrate';
import { DatabaseUnreachable, reachDatabase } from '../../src/platform/database/reach';
import { createLogger } from '../../src/platform/observability/logger';
import { PlatformModule } from '../../src/platform/platform.module';
import { explain } from '../../src/platform/process/explain';
import { startContext } from '../../src/platform/process/start-context';
import { eventually } from '../support/clock';
import { cloneDatabase } from '../support/database';
import { expectEnvelope } from '../support/envelope';
import { FreezingProxy } from '../support/freezing-proxy';
import { raw } from '../support/raw-http';
import { quizBody } from '../support/samples';
import {
  type Service,
  startService,
  TEST_ENCRYPTION_KEY,
  type TestAccount,
} from '../support/service';

let service: Service;
let account: TestAccount;
beforeAll(async () => {
  service = await startService();
  account = await service.account();
});
afterAll(() => service.close());

const at = (method: string, path: string) =>
  raw(service.url, `${method} ${path} HTTP/1.1\r\nHost: quiz.test\r\n\r\n`);

describe('an unknown path gets 404 with the envelope', () => {
  it.each([
    ...['/foo', '/foo/', '//foo//', '/api', '/api/', '/api/v2/quizzes', '/health', '/health/nope'],
    ...['/%zz', '/%ff', '/%00', '/..', '/index.html', '/robots.json', '*'],
    ...['/api/v1', '/api/v1/', '/api/v1//', '/api/v1?x=1', '/api/v1/nothing', '/api/v1//quizzes'],
    ...['/api/v1/%zz', '/api/v1/%ff', '/api/v1/quizzes/a/b', '/api/v1/quizzes%2fa'],
    ...['http://quiz.test/api/v1/nothing', '/api/v1/__proto__', '/api/v1/constructor'],
  ])('%s', async (path) => {
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      const response = await at(method, path);
      expect([method, response.status]).toEqual([method, 404]);
      expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(response.headers['x-request-id']).toMatch(/^[\w-]{1,64}$/);
      expectEnvelope(JSON.parse(response.body));
      const counted = /^(http:\/\/quiz\.test)?\/api\/v1(?=[/?]|$)/.test(path);
      expect('ratelimit-limit' in response.headers).toBe(counted);
    }
  });

  it('an unknown path below /api/v1 gets a sentence that names the documentation', async () => {
    const response = await at('GET', '/api/v1/quizes');
    expect(JSON.parse(response.body).error).toBe(
      'There is no page at this URL. The documentation at /docs lists every endpoint.',
    );
  });

  it.each(['/api', '/api/', '/API/v2', '/api/v2/quizzes', '/api/docs', '/api/v1/nothing'])(
    '%s also in a browser',
    async (path) => {
      const accept = 'Accept: text/html,*/*;q=0.8';
      const bytes = `GET ${path} HTTP/1.1\r\nHost: quiz.test\r\n${accept}\r\n\r\n`;
      const response = await raw(service.url, bytes);
      expect(response.status).toBe(404);
      expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
      expectEnvelope(JSON.parse(response.body));
    },
  );

  it('HEAD of an unknown path gets 404 without a body', async () => {
    for (const path of ['/foo', '/api/v1/foo']) {
      const response = await at('HEAD', path);
      expect(response).toMatchObject({ status: 404, body: '' });
    }
  });
});

describe('an unsupported method gets 405 with the envelope and Allow', () => {
  it.each([
    ['/api/v1/metadata', 'GET, HEAD'],
    ['/api/v1/categories', 'GET, HEAD'],
    ['/api/v1/quizzes', 'GET, HEAD, POST'],
    ['/api/v1/quizzes/', 'GET, HEAD, POST'],
    ['/api/v1/quizzes/some-id', 'DELETE, GET, HEAD, PATCH'],
    ['/api/v1/quizzes/%zz', 'DELETE, GET, HEAD, PATCH'],
    ['/api/v1/questions', 'GET, HEAD'],
    ['/api/v1/quizzes/some-id/questions/batch', 'POST'],
    ['/health/live', 'GET, HEAD'],
    ['/health/ready', 'GET, HEAD'],
  ])('%s allows %s', async (path, allowed) => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY']) {
      if (allowed.split(', ').includes(method)) continue;
      const response = await at(method, path);
      expect([method, response.status]).toEqual([method, 405]);
      expect(response.headers.allow).toBe(allowed);
      expectEnvelope(JSON.parse(response.body));
      expect(JSON.parse(response.body).error).toContain(`${method} is not allowed here, only`);
    }
  });

  it('HEAD of a path that has only POST gets 405 without a body', async () => {
    const response = await at('HEAD', '/api/v1/quizzes/some-id/questions/batch');
    expect(response).toMatchObject({ status: 405, body: '' });
    expect(response.headers.allow).toBe('POST');
  });
});

describe('spellings of a URL', () => {
  it.each(['/api/v1/metadata/', '/api/v1/metadata?', '/api/v1/metadata#x'])(
    '%s is served as /api/v1/metadata',
    async (path) => expect((await at('GET', path)).status).toBe(200),
  );

  it('an id that cannot be decoded gets 404', async () => {
    for (const id of ['%zz', '%ff', '%', '%00', '%ed%a0%80', '%2e%2e', 'a'.repeat(5_000)]) {
      const response = await request(service.url)
        .get(`/api/v1/quizzes/${id}`)
        .set('Authorization', `Bearer ${account.key}`);
      expect([id, response.status, response.body.error]).toEqual([id, 404, 'Quiz not found.']);
    }
  });
});

/** The log's entries of a request. */
const logged = (response: Response) =>
  service.log
    .map((line) => JSON.parse(line))
    .filter((entry) => entry.requestId === response.headers['x-request-id']);

describe('unexpected errors', () => {
  it('an unexpected error gets 500 with a fixed message and an id, and its stack is logged once under that id', async () => {
    await service.database.query('ALTER TABLE quizzes RENAME TO quizzes_away');
    try {
      for (const response of [
        await account.get('/quizzes').expect(500),
        await account.post('/quizzes', quizBody()).expect(500),
      ]) {
        expect(response.text).toBe('{"success":false,"error":"Something went wrong."}');
        expect(JSON.stringify(response.headers)).not.toMatch(
          /quizzes_away|relation|select|postgres/i,
        );
        const entries = logged(response);
        const errors = entries.filter(({ err }) => err);
        expect(errors).toHaveLength(1);
        expect(errors[0]).toMatchObject({
          level: 50,
          err: {
            message: 'relation "quizzes" does not exist',
            code: '42P01',
            stack: expect.stringContaining('.service.ts:'),
          },
        });
        expect(entries.filter(({ msg }) => msg === 'request')).toHaveLength(1);
      }
    } finally {
      await service.database.query('ALTER TABLE quizzes_away RENAME TO quizzes');
    }
    await account.get('/quizzes').expect(200);
  });
});

/** A connection of our own, to the server and not to the service's database. */
async function asOperator(
  work: (client: Client, database: string) => Promise<void>,
): Promise<void> {
  const client = new Client({ connectionString: process.env.TEST_SERVER_URL });
  await client.connect();
  try {
    await work(client, new URL(service.databaseUrl).pathname.slice(1));
  } finally {
    await client.end();
  }
}

async function cutAll(client: Client, database: string): Promise<void> {
  await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [
    database,
  ]);
}

/** On every connection of the service's pool. */
async function onEachConnection(sql: string): Promise<void> {
  const runners = Array.from({ length: 10 }, () => service.database.createQueryRunner());
  await Promise.all(runners.map((runner) => runner.query(sql)));
  await Promise.all(runners.map((runner) => runner.release()));
}

describe('a statement timeout', () => {
  it('a statement that exceeds its time limit gets 503 with Retry-After, and the next one succeeds', async () => {
    const before = await account.get('/quizzes').expect(200);
    const other = new Client({ connectionString: service.databaseUrl });
    await other.connect();
    await onEachConnection('SET statement_timeout = 200');
    try {
      await other.query('BEGIN; LOCK TABLE quizzes IN ACCESS EXCLUSIVE MODE');
      for (const response of [
        await account.get('/quizzes?topic=a'),
        await account.get('/questions?random=true'),
        await account.post('/quizzes', quizBody()),
      ]) {
        expect(response.status).toBe(503);
        expect(response.headers['retry-after']).toBe('30');
        expectEnvelope(response.body);
        expect(response.text).toMatch(/timed out\. Add filters/);
        const entries = logged(response).filter(({ err }) => err);
        expect(entries).toEqual([
          expect.objectContaining({ level: 40, msg: 'request failed: StatementTimeout' }),
        ]);
        await eventually(() =>
          expect(logged(response).filter(({ level }) => level === 50)).toEqual([
            expect.objectContaining({ status: 503, msg: 'request' }),
          ]),
        );
      }
      await other.query('ROLLBACK');
      expect((await account.get('/quizzes').expect(200)).body).toEqual(before.body);
    } finally {
      await other.end();
      await onEachConnection('SET statement_timeout = 15000');
    }
  });
});

describe('database outages', () => {
  it('closed database connections are replaced without a restart', async () => {
    // Each is another one: a repeated read may come from memory.
    const reads = (tag: string) =>
      Array.from({ length: 10 }, (_, at) => account.get(`/quizzes?tags=${tag}-${at}`));
    await Promise.all(reads('before').map((read) => read.expect(200)));
    await asOperator(cutAll);
    // A connection may be handed out in the moment in which it is cut: that one request fails, no more.
    const responses = await Promise.all(reads('after'));
    for (const { status, body } of responses)
      if (status !== 200) {
        expect(status).toBe(503);
        expectEnvelope(body);
      }
    await Promise.all(reads('later').map((read) => read.expect(200)));
  });

  it('while the database is unreachable requests get 503 with Retry-After and write nothing, until it returns', async () => {
    const before = await account.get('/quizzes').expect(200);
    await asOperator(async (client, database) => {
      await client.query(`ALTER DATABASE "${database}" ALLOW_CONNECTIONS false`);
      try {
        await cutAll(client, database);
        for (const response of [
          // Not read before: a repeated read may still come from memory.
          await account.get('/quizzes?tags=unread'),
          await account.get('/questions?random=true'),
          await account.post('/quizzes', quizBody()),
          await request(service.url).get('/health/ready'),
        ]) {
          expect(response.status).toBe(503);
          expectEnvelope(response.body);
          if (response.request.url.includes('/api/'))
            expect(response.headers['retry-after']).toBe('5');
          expect(response.headers['x-request-id']).toBeDefined();
          expect(response.text).not.toMatch(/database ".*"|accepting|connection/i);
        }
        // What needs no database goes on.
        await service.get('/nothing').expect(404);
        await service.get('/quizzes').expect(401);
      } finally {
        await client.query(`ALTER DATABASE "${database}" ALLOW_CONNECTIONS true`);
      }
    });
    const after = await account.get('/quizzes').expect(200);
    expect(after.body).toEqual(before.body);
  });
});

describe('while the database cannot serve everybody', () => {
  it('a request that gets no database connection in time gets 503 with Retry-After', async () => {
    const runners = Array.from({ length: 10 }, () => service.database.createQueryRunner());
    await Promise.all(runners.map((runner) => runner.connect()));
    try {
      const [api, page] = await Promise.all([
        account.get('/quizzes?tags=unread'),
        request(service.url).get('/play/no-such-quiz'),
      ]);
      expect(api.status).toBe(503);
      expect(api.headers['retry-after']).toBe('5');
      expect(api.body).toEqual({
        success: false,
        error:
          'The service is temporarily unavailable. Send the request again after the number of seconds in Retry-After.',
      });
      expect([page.status, page.headers['retry-after']]).toEqual([503, '5']);
    } finally {
      await Promise.all(runners.map((runner) => runner.release()));
    }
    await account.get('/quizzes').expect(200);
  }, 20_000);

  it('a write to a read-only database gets 503 with Retry-After, and reads succeed', async () => {
    await onEachConnection('SET default_transaction_read_only = on');
    try {
      const { headers } = await account.post('/quizzes', quizBody()).expect(503);
      expect(headers['retry-after']).toBe('5');
      await account.get('/quizzes?tags=unread').expect(200);
    } finally {
      await onEachConnection('SET default_transaction_read_only = off');
    }
  });

  it('a request whose connection PostgreSQL terminates, as a restart does, gets 503 with Retry-After', async () => {
    const other = new Client({ connectionString: service.databaseUrl });
    await other.connect();
    try {
      await other.query('BEGIN; LOCK TABLE quizzes IN ACCESS EXCLUSIVE MODE');
      const pending = account.post('/quizzes', quizBody()).then((response) => response);
      await eventually(async () => {
        const { rowCount } = await other.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        expect(rowCount).toBe(1);
      });
      const { status, headers } = await pending;
      expect([status, headers['retry-after']]).toEqual([503, '5']);
    } finally {
      await other.end();
    }
    await account.get('/quizzes').expect(200);
  });

  it('a server that refuses connections gets every request 503 with Retry-After', async () => {
    const database = await cloneDatabase();
    const proxy = await FreezingProxy.start(database.url);
    const refused = await startService({}, { ...database, url: proxy.url });
    try {
      const caller = await refused.account();
      await proxy.close();
      for (const response of [
        await caller.get('/quizzes'),
        await caller.post('/quizzes', quizBody()),
        await refused.get('/metadata'),
      ])
        expect([response.status, response.headers['retry-after']]).toEqual([503, '5']);
      expect(refused.log.join()).toContain('ECONNREFUSED');
    } finally {
      await refused.close();
    }
  });

  it("requests beyond the connection limit of the service's role get 503 with Retry-After, and the others are served", async () => {
    const database = await cloneDatabase();
    const url = new URL(database.url);
    const role = `${url.pathname.slice(1)}_role`;
    const owner = new Client({ connectionString: database.url });
    await owner.connect();
    await owner.query(`
      CREATE ROLE ${role} LOGIN PASSWORD 'secret' CONNECTION LIMIT 3;
      GRANT USAGE ON SCHEMA public TO ${role};
      GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role};
      GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO ${role}`);
    Object.assign(url, { username: role, password: 'secret' });
    const drop = async () => {
      await owner.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
      await owner.end();
      await database.drop();
    };
    const limited = await startService({}, { url: url.href, drop });
    try {
      const caller = await limited.account();
      // While the account is locked, requests hold the role's connections and nobody is served.
      await owner.query('BEGIN');
      await owner.query('SELECT FROM accounts WHERE id = $1 FOR UPDATE', [caller.accountId]);
      const responses: Response[] = [];
      const requests = Array.from({ length: 6 }, async () => {
        responses.push(await caller.post('/quizzes', quizBody()));
      });
      await eventually(() => expect(responses).not.toHaveLength(0));
      await owner.query('COMMIT');
      await Promise.all(requests);
      const refused = responses.filter(({ status }) => status !== 201);
      expect(refused.length).toBeGreaterThan(0);
      expect(refused.length).toBeLessThan(responses.length);
      expect(limited.log.join()).toContain('53300');
      for (const { status, headers } of refused)
        expect([status, headers['retry-after']]).toEqual([503, '5']);
      await caller.get('/quizzes').expect(200);
    } finally {
      await limited.close();
    }
  });

  it.each(['53300', '57P03', '57P01', '08006'])(
    "PostgreSQL's error %s gets 503 with Retry-After",
    async (code) => {
      await service.database.query(`
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN RAISE 'no' USING ERRCODE = '${code}'; END $$;
        CREATE TRIGGER refuse BEFORE INSERT ON quizzes EXECUTE FUNCTION refuse()`);
      try {
        const { headers } = await account.post('/quizzes', quizBody()).expect(503);
        expect(headers['retry-after']).toBe('5');
      } finally {
        await service.database.query('DROP FUNCTION refuse CASCADE');
      }
    },
  );
});

describe('reaching the database at start', () => {
  const server = new URL(process.env.TEST_SERVER_URL ?? '');
  const with_ = (change: (url: URL) => void) => {
    const url = new URL(server);
    change(url);
    return url.toString();
  };
  const failure = (url: string, patience: number, onRetry?: (reason: string) => void) =>
    reachDatabase(url, { patience, onRetry }).then(
      () => new Error('it was reached'),
      (error: unknown) => error as Error,
    );
  /** Begins before the first test: what has to time out does so at the same time. */
  const begun = <T>(work: () => Promise<T>): (() => Promise<T>) => {
    let running: Promise<T>;
    beforeAll(() => {
      running = work();
      // Its test reports the error.
      running.catch(() => undefined);
    });
    afterAll(() => running.catch(() => undefined));
    return () => running;
  };

  it('a closed database port is retried until the limit, then reported in one line', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => closed.once('listening', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    for (const host of ['127.0.0.1', 'localhost']) {
      const reasons: string[] = [];
      const begun = performance.now();
      const url = `postgres://quiz:hunter2@${host}:${port}/quiz`;
      const error = await failure(url, 900, (reason) => reasons.push(reason));
      expect(error).toBeInstanceOf(DatabaseUnreachable);
      expect(error.message).toMatch(
        new RegExp(
          `^The database at ${host}:${port}/quiz cannot be used \\(connect ECONNREFUSED .+\\)\\. Check DATABASE_URL, and that the server runs\\.$`,
        ),
      );
      expect(error.message).not.toContain('hunter2');
      // Tried three times in 750 ms; why it waits is told once.
      expect(performance.now() - begun).toBeGreaterThan(700);
      expect(reasons).toHaveLength(1);
    }
  });

  it('a server without a free connection is reported with what to do', async () => {
    const owner = new Client({ connectionString: server.href });
    await owner.connect();
    const role = `full_${process.pid}`;
    await owner.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret' CONNECTION LIMIT 0`);
    const url = with_((it) => Object.assign(it, { username: role, password: 'secret' }));
    const { message } = await failure(url, 3_000);
    await owner.query(`DROP ROLE ${role}`);
    await owner.end();
    expect(message).toMatch(/\(too many connections .+\)\. Raise max_connections, or run fewer/);
  });

  it('a wrong password or a missing database is reported at once', async () => {
    const retried = jest.fn();
    const wrong = await failure(
      with_((url) => (url.password = 'hunter2')),
      30_000,
      retried,
    );
    expect(wrong.message).toMatch(/^The database at .+ cannot be used \(password auth.+\)\. Check/);
    expect(wrong.message).not.toContain('hunter2');
    const missing = await failure(
      with_((url) => (url.pathname = '/nothing')),
      30_000,
      retried,
    );
    expect(missing.message).toMatch(/cannot be used \(database "nothing" does not exist\)\. Check/);
    expect(missing.message).not.toContain('\n');
    expect(retried).not.toHaveBeenCalled();
  });

  const reached = begun(async () => {
    const proxy = await FreezingProxy.start(server.href);
    proxy.ignoreNew();
    try {
      return await failure(proxy.url, 1_000);
    } finally {
      await proxy.close();
    }
  });
  it('a server that accepts connections and never responds is reported in one line', async () => {
    const error = await reached();
    expect(error).toBeInstanceOf(DatabaseUnreachable);
    expect(error.message).toMatch(/^The database at .+ cannot be used \(timeout expired\)\. Check/);
  });

  const started = begun(async () => {
    const database = await cloneDatabase();
    const proxy = await FreezingProxy.start(database.url);
    const logger = createLogger('silent');
    const config = loadConfig({ DATABASE_URL: proxy.url });
    try {
      const start = startContext(config, logger, (parts) => {
        proxy.ignoreNew();
        return { module: class Unreached {}, imports: [PlatformModule.register(parts)] };
      });
      return await start.then(() => 'it has started', explain);
    } finally {
      await proxy.close();
      await database.drop();
    }
  });
  it('a server that stops responding once the start has reached it ends the start in one line', async () => {
    expect(await started()).toMatch(
      /^A server cannot be used at the moment \(.+\)\. Check that the database runs, .+ then try again\.$/,
    );
  });

  const migrated = begun(async () => {
    const proxy = await FreezingProxy.start(server.href);
    proxy.ignoreNew();
    try {
      return await migrate(proxy.url).catch(explain);
    } finally {
      await proxy.close();
    }
  });
  it('a server that never responds to a migration ends it in one line', async () => {
    expect(await migrated()).toMatch(
      /^A server cannot be used at the moment \(timeout expired\)\./,
    );
  });

  const startWorkerAfter = async (passes: number) => {
    const database = await cloneDatabase();
    const proxy = await FreezingProxy.start(database.url);
    proxy.ignoreNew({ passes, ignores: 1 });
    const config = loadConfig({ DATABASE_URL: proxy.url, ENCRYPTION_KEY: TEST_ENCRYPTION_KEY });
    try {
      const worker = await startWorker(
        config,
        createLogger('silent'),
        new AbortController().signal,
      );
      await worker.stop();
    } finally {
      await proxy.close();
      await database.drop();
    }
  };
  it.each([
    ['of the migrations', begun(() => startWorkerAfter(1))],
    ['of the queue', begun(() => startWorkerAfter(2))],
    ['of the pool', begun(() => startWorkerAfter(3))],
  ])('a worker starts although its first connection %s times out', (_, done) => done());

  it('a database that becomes reachable within the limit is used', async () => {
    let start: (() => void) | undefined;
    const upstream = { host: server.hostname, port: Number(server.port) };
    const gate = createServer((socket) => {
      const onward = createConnection(upstream);
      socket.pipe(onward).pipe(socket);
      for (const each of [socket, onward]) each.on('error', () => undefined);
    });
    const port = await new Promise<number>((resolve) => {
      const probe = createServer().listen(0, '127.0.0.1', () => {
        const { port: free } = probe.address() as AddressInfo;
        probe.close(() => resolve(free));
      });
    });
    start = () => void gate.listen(port, '127.0.0.1');
    await reachDatabase(
      with_((url) => (url.host = `127.0.0.1:${port}`)),
      {
        patience: 10_000,
        onRetry: () => {
          start?.();
          start = undefined;
        },
      },
    );
    expect(gate.listening).toBe(true);
    await new Promise((resolve) => gate.close(resolve));
  });
});
