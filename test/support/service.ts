import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request } from 'express';
import request, { type Test } from 'supertest';
import { DataSource } from 'typeorm';
import { AccountsService } from '../../src/access/accounts/accounts.service';
import { isBuiltIn } from '../../src/access/accounts/built-in-accounts';
import type { Plan } from '../../src/access/accounts/plan.rules';
import type { Scope } from '../../src/access/accounts/scope.rules';
import { ApiKeysService, type KeyRestrictions } from '../../src/access/api-keys/api-keys.service';
import { AppModule } from '../../src/app/app.module';
import { API_OPTIONS, configure } from '../../src/app/configure';
import { loadConfig } from '../../src/platform/config/config';
import { ContentChanges } from '../../src/platform/database/content-changes';
import { ApiAdapter } from '../../src/platform/http/server/api-adapter';
import { LIMITS } from '../../src/platform/limits/limits';
import { createLogger, NestLogger } from '../../src/platform/observability/logger';
import { ApiDocument } from '../../src/platform/openapi/document/api-document';
import { checkResponses } from './api-contract';
import { TestClock } from './clock';
import { cloneDatabase, type TestDatabase } from './database';

/** A test's own key: nothing is written into DATA_DIR. */
export const TEST_ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64');

/** An account with a key, and requests that carry it. */
export interface TestAccount {
  accountId: string;
  email: string;
  key: string;
  get(path: string): Test;
  post(path: string, body?: string | object): Test;
  patch(path: string, body?: string | object): Test;
  put(path: string, body?: string | object): Test;
  delete(path: string): Test;
}

export interface Service {
  app: NestExpressApplication;
  database: DataSource;
  /** Tests also change rows directly: each cached read first waits for PostgreSQL's notifications of changes before it. */
  noticesChanges: boolean;
  clock: TestClock;
  /** Lines of the log, as they were written. */
  log: string[];
  url: string;
  databaseUrl: string;
  /** Requests without a key, on paths below /api/v1. */
  get(path: string): Test;
  post(path: string, body?: string | object): Test;
  account(
    plan?: Plan,
    options?: { isAdmin?: boolean; email?: string; scopes?: Scope[] },
  ): Promise<TestAccount>;
  /** Requests with another key of the account. */
  keyOf(
    account: TestAccount,
    restrictions: KeyRestrictions & { expiresAt?: Date },
  ): Promise<TestAccount>;
  close(): Promise<void>;
}

/** URLs of the catalog. */
const CACHED = /^\/api\/v1\/(quizzes|questions|categories|metadata)/i;

type Method = 'get' | 'post' | 'patch' | 'put' | 'delete';

let accountCount = 0;

/**
 * The API as it runs in production, on a port of its own and a database of its own.
 * The rate limit is out of the way unless a test sets it.
 * @param options `shedsLoad`: requests are refused while the event loop is late. The service shares it with its test, so
 *   that on a busy machine any request could be one of them.
 */
export async function startService(
  env: Record<string, string> = {},
  database?: TestDatabase,
  { shedsLoad = false } = {},
): Promise<Service> {
  database ??= await cloneDatabase();
  const log: string[] = [];
  const logger = createLogger('debug', { write: (line) => void log.push(line) });
  const config = loadConfig({
    RATE_LIMIT_PER_MINUTE: '1000000',
    ENCRYPTION_KEY: TEST_ENCRYPTION_KEY,
    ...env,
  });
  const clock = new TestClock();
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.register({ config, logger, databaseUrl: database.url }),
    new ApiAdapter(),
    {
      ...API_OPTIONS,
      logger: new NestLogger(logger),
      instrument: clock.instrument,
    },
  );
  const changes = app.get(ContentChanges);
  app.use(({ method, url }: Request, _response: unknown, next: () => void) => {
    const isCached = ['GET', 'HEAD'].includes(method) && CACHED.test(url);
    if (!isCached || !service.noticesChanges) return next();
    void changes
      .check()
      .catch(() => undefined)
      .then(() => next());
  });
  app.use(checkResponses(() => app.get(ApiDocument).document));
  const { eventLoopLag } = LIMITS.load;
  const { value } = eventLoopLag;
  if (!shedsLoad) eventLoopLag.value = Infinity;
  configure(app);
  eventLoopLag.value = value;
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();

  const call = (method: Method, path: string, key?: string) => {
    const test = request(url)[method](`/api/v1${path}`);
    return key ? test.set('Authorization', `Bearer ${key}`) : test;
  };
  const send = (
    method: Method,
    path: string,
    body: string | object | undefined,
    key?: string,
  ): Test => call(method, path, key).set('Content-Type', 'application/json').send(body);
  const keyOf = async (
    { accountId, email }: Pick<TestAccount, 'accountId' | 'email'>,
    restrictions?: KeyRestrictions & { expiresAt?: Date },
  ): Promise<TestAccount> => {
    const { key } = await app.get(ApiKeysService).issue(accountId, 'test', restrictions);
    return {
      accountId,
      email,
      key,
      get: (path) => call('get', path, key),
      post: (path, body) => send('post', path, body, key),
      patch: (path, body) => send('patch', path, body, key),
      put: (path, body) => send('put', path, body, key),
      delete: (path) => call('delete', path, key),
    };
  };

  const service: Service = {
    noticesChanges: true,
    app,
    database: app.get(DataSource),
    clock,
    log,
    url,
    databaseUrl: database.url,
    get: (path) => call('get', path),
    post: (path, body) => send('post', path, body),
    keyOf,
    async account(
      plan = 'pro',
      { isAdmin = false, email = `account-${++accountCount}@example.com`, scopes } = {},
    ) {
      const accounts = app.get(AccountsService);
      const input = { email, plan, isAdmin };
      const account = isBuiltIn(input)
        ? await accounts.findOrCreateBuiltIn(input)
        : await accounts.createIn(app.get(DataSource).manager, input);
      return keyOf({ accountId: account.id, email }, { scopes });
    },
    async close() {
      try {
        await app.close();
      } finally {
        await database.drop();
      }
    },
  };
  return service;
}
