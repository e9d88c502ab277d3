import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { envFile } from '../../src/platform/config/setting-texts';

/** A service of a Compose file as docker-compose reads it. */
interface ComposeService {
  image: string;
  command?: string[] | string;
  environment: Record<string, string | number>;
  networks?: Record<string, unknown>;
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test: string[] };
  volumes?: string[];
  ports?: string[];
  init?: boolean;
  restart?: string;
  cap_drop?: string[];
  security_opt?: string[];
  read_only?: boolean;
  stop_grace_period?: string;
  mem_limit?: string | number;
  pids_limit?: number;
  logging?: { options?: Record<string, string> };
}

const ROOT = join(__dirname, '../..');
const EXAMPLE = readFileSync(join(ROOT, '.env.example'), 'utf8');
const SECRETS: Record<string, string> = {
  POSTGRES_PASSWORD: 'a1b2c3',
  POSTGRES_SERVICE_PASSWORD: 'b2c3d4',
  REDIS_PASSWORD: 'd4e5f6',
  ENCRYPTION_KEY: Buffer.alloc(32, 'compose').toString('base64'),
  PUBLIC_URL: 'https://quiz.example.com',
};

// Reading the files needs no Docker. The nightly workflow builds the image and starts both.
const isInstalled = spawnSync('docker-compose', ['version']).status === 0;
const describeFile = isInstalled ? describe : describe.skip;
const folder = mkdtempSync(join(tmpdir(), 'quiz-compose-'));

/** What docker-compose makes of a file, with an environment that is otherwise empty. */
function config(file: string, env: Record<string, string> = {}) {
  return spawnSync('docker-compose', ['--file', file, 'config'], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    encoding: 'utf8',
  });
}

interface ComposeFile {
  services: Record<string, ComposeService>;
  networks?: Record<string, { internal?: boolean } | null>;
}

function parsed({ stdout, stderr, status }: ReturnType<typeof config>): ComposeFile {
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  return parse(stdout) as ComposeFile;
}

for (const file of ['docker-compose.yml', 'docker-compose.production.yml'])
  copyFileSync(join(ROOT, file), join(folder, file));
afterAll(() => rmSync(folder, { recursive: true }));

describeFile('docker-compose.yml (needs docker-compose)', () => {
  const FILE = 'docker-compose.yml';
  let services: Record<string, ComposeService>;

  beforeAll(() => {
    rmSync(join(folder, '.env'), { force: true });
    ({ services } = parsed(config(FILE)));
  });

  it('the file is valid with an empty environment and no .env', () => {
    expect(Object.keys(services).sort()).toEqual(['api', 'postgres', 'redis', 'worker']);
    expect(services.api?.environment).toMatchObject({ NODE_ENV: 'development' });
    for (const { image, healthcheck } of Object.values(services)) {
      expect(image).toMatch(/@sha256:[0-9a-f]{64}$|^quiz-question-service:development$/);
      expect(healthcheck?.test).not.toHaveLength(0);
    }
  });

  // With a name alone Compose first asks a registry for it, and prints that access is denied.
  it('the image is built here, never looked for in a registry', () => {
    for (const name of ['api', 'worker'])
      expect(services[name]).toMatchObject({ build: { context: folder }, pull_policy: 'build' });
  });

  it('only the API publishes a port, on 127.0.0.1, and PORT changes it inside and outside', () => {
    const other = parsed(config(FILE, { PORT: '4000' })).services;
    for (const [port, all] of Object.entries({ 3000: services, 4000: other })) {
      const published = Object.entries(all).filter(([, { ports }]) => ports);
      expect(published.map(([name, { ports }]) => [name, ports])).toEqual([
        ['api', [`127.0.0.1:${port}:${port}/tcp`]],
      ]);
      expect(all.api?.environment.PORT).toBe(port);
    }
  });

  it('the API and the worker send webhooks to this machine', () => {
    for (const name of ['api', 'worker'])
      expect(services[name]).toMatchObject({
        environment: { WEBHOOK_ALLOW_INSECURE: 'true' },
        extra_hosts: ['host.docker.internal:host-gateway'],
      });
  });

  it('PostgreSQL and Redis have the versions of production', () => {
    const images = (text: string) => text.match(/image: (postgres|redis):\S+/g)?.sort();
    const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
    expect(images(read(FILE))).toEqual([...new Set(images(read('docker-compose.production.yml')))]);
  });

  it('a newcomer reads the whole file: at most 80 lines', () => {
    expect(readFileSync(join(ROOT, FILE), 'utf8').split('\n').length).toBeLessThanOrEqual(80);
  });
});

describeFile('docker-compose.production.yml (needs docker-compose)', () => {
  const FILE = 'docker-compose.production.yml';
  let services: Record<string, ComposeService>;
  let networks: ComposeFile['networks'];

  beforeAll(() => {
    const filled = EXAMPLE.replace(/^(\w+)=$/gm, (line, name: string) =>
      name in SECRETS ? `${line}${SECRETS[name]}` : line,
    );
    writeFileSync(join(folder, '.env'), filled);
    ({ services, networks } = parsed(config(FILE)));
  });

  const service = (name: string): ComposeService => {
    const found = services[name];
    if (!found) throw new Error(`no service ${name}`);
    return found;
  };

  it.each([
    [
      'without .env',
      undefined,
      /is not set\. Create \.env as docs\/guides\/self-hosting\.md shows/,
    ],
    ['with an unfilled .env', EXAMPLE, /[A-Z]+_\w+.* is not set\. Create \.env/],
  ])('%s compose refuses to start and says what to do', (_, env, said) => {
    const file = join(folder, '.env');
    const filled = readFileSync(file);
    rmSync(file);
    if (env !== undefined) writeFileSync(file, env);
    const { status, stderr } = config(FILE);
    writeFileSync(file, filled);
    expect(stderr).toMatch(said);
    expect(status).not.toBe(0);
  });

  it('an .env file of quizctl config env is all that the file needs, and makes it the default one', () => {
    const file = join(folder, '.env');
    const before = readFileSync(file);
    writeFileSync(file, envFile('https://quiz.example.com'));
    const { stdout, stderr, status } = spawnSync('docker-compose', ['config', '--services'], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: process.env.HOME },
      encoding: 'utf8',
    });
    writeFileSync(file, before);
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    expect(stdout.split('\n')).toContain('migrate');
  });

  it('the proxy reaches the API and neither database, whose network has no way out', () => {
    const of = (name: string) => Object.keys(service(name).networks ?? {});
    expect(of('proxy')).toEqual(['web']);
    for (const name of ['postgres', 'redis', 'migrate', 'roles'])
      expect(of(name)).toEqual(['data']);
    for (const name of ['api', 'worker']) expect(of(name)).toEqual(['data', 'web']);
    expect(networks?.data?.internal).toBe(true);
    expect(networks?.web?.internal).toBeUndefined();
  });

  it('the image has the version of package.json, or is the release that is named', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      version: string;
    };
    expect(service('api').image).toBe(`quiz-question-service:${version}`);
    const named = parsed(config(FILE, { QUIZ_IMAGE: 'ghcr.io/ada/quiz:1.2.3' }));
    expect(named.services.worker?.image).toBe('ghcr.io/ada/quiz:1.2.3');
  });

  it('every image is pinned to a full version', () => {
    for (const { image } of Object.values(services))
      expect(image).toMatch(/:\d+\.\d+(\.\d+)?(-\w+)?(@sha256:[0-9a-f]{64})?$/);
  });

  it('the API and the worker start after the migration and the grants, which wait for a healthy database', () => {
    expect(service('migrate').depends_on?.postgres?.condition).toBe('service_healthy');
    expect(service('roles').depends_on?.migrate?.condition).toBe('service_completed_successfully');
    for (const name of ['api', 'worker'])
      expect(service(name).depends_on).toMatchObject({
        roles: { condition: 'service_completed_successfully' },
        redis: { condition: 'service_healthy' },
      });
  });

  it('a failed migration is repeated, and services are restarted and have a health check', () => {
    const { migrate, roles, ...others } = services;
    for (const it of [migrate, roles]) expect(it?.restart).toBe('on-failure');
    for (const [name, it] of Object.entries(others)) {
      expect(it.restart).toBe('unless-stopped');
      if (name !== 'proxy') expect(it.healthcheck?.test).not.toHaveLength(0);
    }
  });

  it("the API and the worker do not know the password of the database's owner", () => {
    for (const name of ['api', 'worker']) {
      const { environment } = service(name);
      expect(environment.DATABASE_URL).toMatch(/^postgres:\/\/quiz_service:b2c3d4@/);
      expect(JSON.stringify(environment)).not.toContain(SECRETS.POSTGRES_PASSWORD);
    }
  });

  it('Redis requires a password, evicts nothing and writes to disk, and data is in volumes', () => {
    const { command, volumes } = service('redis');
    expect([command].flat().join(' ')).toMatch(/--requirepass/);
    expect([command].flat().join(' ')).toMatch(/noeviction/);
    expect([command].flat().join(' ')).toMatch(/--appendonly yes/);
    expect(volumes).toHaveLength(1);
    expect(service('postgres').volumes).toHaveLength(1);
  });

  it.each(['migrate', 'api', 'worker'])(
    'the container %s is read-only, has no privileges, an init, and enough time to stop',
    (name) => {
      const it = service(name);
      expect(it).toMatchObject({ read_only: true, init: true, cap_drop: ['ALL'] });
      expect(it.security_opt).toEqual(['no-new-privileges:true']);
      expect(parseInt(it.stop_grace_period ?? '')).toBeGreaterThan(25);
    },
  );

  it('every container has limits on memory, processes and the size of its log', () => {
    for (const it of Object.values(services)) {
      expect(it.mem_limit).toBeTruthy();
      expect(it.pids_limit).toBeTruthy();
      expect(it.logging?.options?.['max-size']).toBeTruthy();
    }
  });

  it('only the proxy, and the API on this machine, publish a port', () => {
    const published = Object.keys(services).filter((name) => services[name]?.ports);
    expect(published.filter((name) => name !== 'proxy')).toEqual(['api']);
    // Not a range: with the port taken, Compose must fail and not take the next one, which PUBLIC_URL does not name.
    expect(service('api').ports).toEqual(['127.0.0.1:3000:3000/tcp']);
  });

  it('the file contains no secret', () => {
    const text = readFileSync(join(ROOT, FILE), 'utf8');
    const values = [...text.matchAll(/(?:PASSWORD|ENCRYPTION_KEY|TOKEN|AUTH): (.+)/g)];
    expect(values).not.toHaveLength(0);
    for (const [, value] of values) expect(value).toMatch(/^\$\{|^''$/);
  });
});

test('every file that the Dockerfile copies from here is admitted by .dockerignore', () => {
  const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
  const admitted = [...read('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, path = '']) => path);
  const copied = [...read('Dockerfile').matchAll(/^COPY (?!--from)(.+)$/gm)].flatMap(
    ([, paths = '']) => paths.split(' ').slice(0, -1),
  );
  expect(copied.length).toBeGreaterThan(10);
  const isAdmitted = (path: string) => admitted.some((it) => `${path}/`.startsWith(`${it}/`));
  expect(copied.filter((path) => !isAdmitted(path))).toEqual([]);
});
