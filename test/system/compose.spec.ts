import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A service of docker-compose.yml as docker-compose reads it. */
interface ComposeService {
  image: string;
  command?: string[] | string;
  environment: Record<string, string | number>;
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test: string[] };
  volumes?: string[];
  ports?: unknown[];
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

// Reading the file needs no Docker. The nightly workflow builds the image and starts all services.
const isInstalled = spawnSync('docker-compose', ['version']).status === 0;

(isInstalled ? describe : describe.skip)('docker-compose.yml (needs docker-compose)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quiz-compose-'));
  let services: Record<string, ComposeService>;

  function config(env?: string) {
    if (env !== undefined) writeFileSync(join(folder, '.env'), env);
    return spawnSync('docker-compose', ['config'], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: process.env.HOME },
      encoding: 'utf8',
    });
  }

  beforeAll(() => {
    copyFileSync(join(ROOT, 'docker-compose.yml'), join(folder, 'docker-compose.yml'));
    const filled = EXAMPLE.replace(/^(\w+)=$/gm, (line, name: string) =>
      name in SECRETS ? `${line}${SECRETS[name]}` : line,
    );
    const { stdout, stderr } = config(filled);
    // Debian's docker-compose brings PyYAML.
    const toJson = 'import sys, yaml, json; json.dump(yaml.safe_load(sys.stdin), sys.stdout)';
    const json = spawnSync('python3', ['-c', toJson], { input: stdout, encoding: 'utf8' });
    expect(stderr).not.toMatch(/error/i);
    ({ services } = JSON.parse(json.stdout) as { services: typeof services });
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  const service = (name: string): ComposeService => {
    const found = services[name];
    if (!found) throw new Error(`no service ${name}`);
    return found;
  };

  it.each([
    ['without .env', undefined, /Copy .env.example to .env/],
    ['with an unfilled .env', EXAMPLE, /fill in [A-Z]+_/],
  ])('%s compose refuses to start and says what to do', (_, env, said) => {
    rmSync(join(folder, '.env'), { force: true });
    const { status, stderr } = config(env);
    expect(stderr).toMatch(said);
    expect(status).not.toBe(0);
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
    expect(JSON.stringify(service('api').ports)).toMatch(/127\.0\.0\.1/);
  });

  it('the file contains no secret', () => {
    const text = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8');
    const values = [...text.matchAll(/(?:PASSWORD|ENCRYPTION_KEY|TOKEN|AUTH): (.+)/g)];
    expect(values).not.toHaveLength(0);
    for (const [, value] of values) expect(value).toMatch(/^\$\{|^''$/);
  });
});
