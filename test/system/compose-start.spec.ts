import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { freePort } from '#embedded-postgres';
import { envFile } from '../../src/platform/config/setting-texts';
import { verifySignature } from '../../src/webhooks/deliveries/signature';
import { eventually } from '../support/clock';
import { ensureBuilt } from '../support/ensure-built';
import { ImageFolder } from '../support/image-folder';
import { InstalledPostgres } from '../support/installed-postgres';
import { type Receiver, startReceiver } from '../support/receiver';
import { RedisServer } from '../support/redis-server';

/**
 * The commands of the Compose files with their environments, in a folder with the files of the image, on this machine's
 * PostgreSQL and Redis instead of containers. The nightly workflow starts the containers.
 */

const ROOT = join(__dirname, '../..');

interface Service {
  command: string[];
  environment: Record<string, string>;
  healthcheck: { test: string[] };
  volumes?: string[];
}

/** The services of a file, with `${NAME:-default}` and `${NAME:?error}` replaced. */
function servicesOf(file: string, env: Record<string, string> = {}): Record<string, Service> {
  const text = readFileSync(join(ROOT, file), 'utf8')
    .replace(
      /\$\{(\w+)(?::[-?]([^}]*))?\}/g,
      (_, name: string, otherwise = '') => env[name] ?? otherwise,
    )
    .replaceAll('$$', '$');
  return (parse(text, { merge: true }) as { services: Record<string, Service> }).services;
}

const canRun = InstalledPostgres.programs !== undefined && RedisServer.installed;

(canRun ? describe : describe.skip)('Compose (needs PostgreSQL and Redis)', () => {
  let postgres: InstalledPostgres;
  let redis: RedisServer;
  let receiver: Receiver;
  let image: ImageFolder;
  const running = new Set<ChildProcess>();

  beforeAll(async () => {
    ensureBuilt();
    image = new ImageFolder();
    [postgres, redis, receiver] = await Promise.all([
      InstalledPostgres.start(),
      RedisServer.start(),
      startReceiver(),
    ]);
  }, 300_000);

  afterAll(async () => {
    await Promise.all(
      [...running].map(async (child) => {
        child.kill('SIGTERM');
        if (child.exitCode === null) await once(child, 'exit');
      }),
    );
    await Promise.all([receiver.close(), redis.kill(), postgres.stop()]);
    image.remove();
  });

  /** The environment of a service, with the addresses of this machine. */
  async function environmentOf(service: Service, database: string) {
    const local = Object.entries(service.environment).map(([name, value]) => [
      name,
      String(value)
        .replace(/@postgres:5432\/quiz/, `@127.0.0.1:${postgres.port}/${database}`)
        .replace(/redis:\/\/(:\w+@)?redis:6379/, redis.url)
        .replace('0.0.0.0', '127.0.0.1'),
    ]);
    const env: Record<string, string> = { ...image.env, ...Object.fromEntries(local) };
    if (env.METRICS_PORT) env.METRICS_PORT = String(await freePort());
    return env;
  }

  function start(service: Service, env: Record<string, string>) {
    const [program = '', ...args] = service.command;
    const child = spawn(program, args, { cwd: image.path, env });
    running.add(child);
    const said = { text: '' };
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data: Buffer) => (said.text += String(data)));
    const stop = async () => {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
      running.delete(child);
      expect(child.exitCode).toBe(0);
    };
    return { said, stop };
  }

  const run = (command: string[], env: Record<string, string>) => {
    const [program = '', ...args] = command;
    const { status, stdout, stderr } = spawnSync(program, args, {
      cwd: image.path,
      env,
      encoding: 'utf8',
    });
    return { status, stdout, stderr };
  };

  /** As long as Compose waits, and once a second, as each probe is a process of its own. */
  const untilHealthy = (service: Service, env: Record<string, string>) =>
    eventually(
      () => {
        const [, ...probe] = service.healthcheck.test;
        expect(run(probe, env)).toMatchObject({ status: 0 });
      },
      120_000,
      1_000,
    );

  it('docker compose up prints the banner with 48 quizzes, a demo key and a link, and its worker delivers webhooks', async () => {
    const PORT = String(await freePort());
    const { api, worker } = servicesOf('docker-compose.yml', { PORT });
    if (!api || !worker) throw new Error('docker-compose.yml has no api or no worker');
    // The only file that is written: the demo key, in a volume.
    expect(api.volumes).toEqual(['data:/app/data']);
    const env = await environmentOf(api, 'quiz');
    const first = start(api, env);
    await eventually(() => expect(first.said.text).toContain('Ctrl-C stops it'), 60_000);
    const { text } = first.said;
    const base = `http://localhost:${PORT}`;
    expect(text).toContain(`${base}/api/v1\n`);
    expect(text).toMatch(/filled with 48 quizzes and \d+ questions/);
    const [key = ''] = /svc_test_\w+/.exec(text) ?? [];
    const [link = ''] = /^http\S+\/dashboard\/set-up\?token=\S+$/m.exec(text) ?? [];
    expect((await fetch(link)).status).toBe(200);
    // No warning, and no log line between the lines of the banner.
    expect(text).not.toMatch(/^\{/m);
    await untilHealthy(api, env);

    const post = async (path: string, body: object) => {
      const response = await fetch(`${base}/api/v1${path}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect(response.status).toBe(201);
      return ((await response.json()) as { data: { id: string; secret: string } }).data;
    };
    const list = await fetch(`${base}/api/v1/quizzes?limit=1`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    expect(await list.json()).toMatchObject({ meta: { total: 48 } });
    const endpoint = await post('/webhooks', {
      url: receiver.url('/hook'),
      events: ['quiz.created'],
    });
    const quiz = await post('/quizzes', {
      title: 'Rivers',
      difficulty: 'EASY',
      category: 'Rivers & Lakes',
    });
    // `api` has no worker: nothing arrives before the service `worker` runs.
    const ready = await fetch(`${base}/health/ready`);
    expect(await ready.json()).toMatchObject({ data: { worker: 'down' } });
    expect(receiver.received).toHaveLength(0);
    const workerEnv = await environmentOf(worker, 'quiz');
    const delivering = start(worker, workerEnv);
    await untilHealthy(worker, workerEnv);
    await eventually(() => expect(receiver.at('/hook')).toHaveLength(1), 20_000);
    const [event] = receiver.at('/hook');
    expect(JSON.parse(event?.body ?? '')).toMatchObject({ data: { quiz_id: quiz.id } });
    const signature = String(event?.headers['x-service-signature']);
    expect(verifySignature(Buffer.from(event?.body ?? ''), signature, endpoint.secret)).toBe(true);

    await first.stop();
    expect(first.said.text).toContain('Stopped. docker compose up continues from here.');
    const second = start(api, env);
    await eventually(() => expect(second.said.text).toContain('Ctrl-C stops it'), 60_000);
    expect(second.said.text).toContain('with the data that it has');
    expect(second.said.text).toContain(key);
    await Promise.all([second.stop(), delivering.stop()]);
  }, 300_000);

  it('the production file migrates, grants the role, seeds and prints a set-up link, and its hints work in the image', async () => {
    postgres.run('createdb production');
    const filled = Object.fromEntries(
      [...envFile('https://quiz.example.com').matchAll(/^(\w+)=(.+)$/gm)].map(([, name, value]) => [
        name,
        value,
      ]),
    ) as Record<string, string>;
    const { migrate, roles, api, worker } = servicesOf('docker-compose.production.yml', filled);
    if (!migrate || !roles || !api || !worker) throw new Error('a service is missing');
    expect(run(migrate.command, await environmentOf(migrate, 'production'))).toMatchObject({
      status: 0,
      stderr: '',
    });
    const sql = roles.command
      .map((it) => it.replace('/runtime-role.sql', join(ROOT, 'ops/runtime-role.sql')))
      .map((it) => it.replace('exec psql', `exec ${InstalledPostgres.programs}/psql`));
    const psql = { ...roles.environment, PGHOST: '127.0.0.1', PGPORT: String(postgres.port) };
    expect(run(sql, { ...image.env, ...psql, PGDATABASE: 'production' })).toMatchObject({
      status: 0,
    });

    const env = { ...(await environmentOf(api, 'production')), PORT: String(await freePort()) };
    const [serving, workerEnv] = [start(api, env), await environmentOf(worker, 'production')];
    const delivering = start(worker, workerEnv);
    await Promise.all([untilHealthy(api, env), untilHealthy(worker, workerEnv)]);
    await eventually(() =>
      expect(serving.said.text).toContain(
        'There is no account yet. To print a one-time link that creates the first administrator: quizctl set-up-link"',
      ),
    );

    const quizctl = (...args: string[]) => run(['quizctl', ...args], env);
    expect(run(['npm', 'run', '-s', 'quizctl', '--', 'seed'], env)).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^Added 48 quizzes and \d+ questions with their topics\.\n$/),
      stderr: '',
    });
    const link = new URL(quizctl('set-up-link').stdout.trim());
    expect(link.origin).toBe('https://quiz.example.com');
    const local = `http://127.0.0.1:${env.PORT}`;
    expect((await fetch(local + link.pathname + link.search)).status).toBe(200);
    const created = quizctl('accounts', 'create', '--email', 'a@example.com', '--plan', 'pro');
    expect(created.stdout).toContain(
      'Issue a key with: quizctl keys issue --account a@example.com',
    );
    await Promise.all([serving.stop(), delivering.stop()]);
  }, 300_000);
});
