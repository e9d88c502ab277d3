import { randomUUID } from 'node:crypto';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '#embedded-postgres';
import { AccountsService } from '../../dist/access/accounts/accounts.service.js';
import { ApiKeysService } from '../../dist/access/api-keys/api-keys.service.js';
import { migrate } from '../../dist/platform/database/migrate.js';
import { EndpointsService } from '../../dist/webhooks/endpoints/endpoints.service.js';
import { openServices } from '../support/services.mjs';

const DIST = fileURLToPath(new URL('../../dist/bin/', import.meta.url));

/** So many API processes and workers, as `npm run start:api` and `start:worker` run them, on one database. */
export class Deployment {
  static async start({ count, limit = 1_000_000_000, postgres, redis, receiverUrl, defer }) {
    const databaseUrl = await postgres.createDatabase(`bench_${randomUUID()}`);
    await migrate(databaseUrl);
    const env = {
      DATABASE_URL: databaseUrl,
      // A database of Redis for each deployment, so that their queues and counters are apart.
      REDIS_URL: `${redis.url}/${nextRedis++}`,
      ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
      RATE_LIMIT_PER_MINUTE: String(limit),
      // The receiver is on the loopback address, by http.
      WEBHOOK_ALLOW_INSECURE: 'true',
      LOG_LEVEL: 'warn',
    };
    const ports = await Promise.all(Array.from({ length: count }, freePort));
    for (const port of ports) {
      run('api.js', { ...env, PORT: String(port) }, defer);
      run('worker.js', env, defer);
    }
    const urls = ports.map((port) => `http://127.0.0.1:${port}`);
    await Promise.all(urls.map(ready));
    const path = `/${randomUUID()}`;
    return { urls, path, ...(await owner(databaseUrl, env, receiverUrl + path)) };
  }
}

let nextRedis = 0;

function run(script, env, defer) {
  const child = spawn(process.execPath, [`${DIST}${script}`], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  defer(async () => {
    child.kill('SIGTERM');
    await ended;
  });
}

async function ready(url) {
  for (let tries = 0; tries < 150; tries++) {
    const answer = await fetch(`${url}/health/ready`).catch(() => null);
    if (answer?.ok) return;
    await sleep(200);
  }
  throw new Error(`${url} did not become ready.`);
}

/** An administrator, who has no quota, with a key and an endpoint for quiz.created. */
async function owner(databaseUrl, env, url) {
  const services = await openServices(databaseUrl, env);
  try {
    const email = 'bench@example.com';
    const account = await services
      .of(AccountsService)
      .create({ email, plan: 'pro', isAdmin: true });
    const { key } = await services.of(ApiKeysService).issue(account.id, 'bench');
    const { secret } = await services.of(EndpointsService).add(account.id, {
      url,
      events: ['quiz.created'],
    });
    return { key, secret };
  } finally {
    await services.close();
  }
}
