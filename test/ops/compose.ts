import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hold } from '../faults/harness/until';
import { ROOT } from '../faults/harness/service-process';

/** A service of docker-compose.yml as a compose implementation has understood it. */
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

export type Services = Record<string, ComposeService>;

/** Debian's package brings PyYAML, by which its answer is read. */
export const composeIsInstalled = () => spawnSync('docker-compose', ['version']).status === 0;

const SECRETS = {
  POSTGRES_PASSWORD: 'a1b2c3',
  POSTGRES_SERVICE_PASSWORD: 'b2c3d4',
  REDIS_PASSWORD: 'd4e5f6',
  ENCRYPTION_KEY: Buffer.alloc(32, 'compose').toString('base64'),
  PUBLIC_URL: 'https://quiz.example.com',
};

/** The compose file in a folder of its own, beside an `.env` that the tests write. */
export class Compose {
  constructor(private readonly folder: string) {
    mkdirSync(folder);
    copyFileSync(join(ROOT, 'docker-compose.yml'), join(folder, 'docker-compose.yml'));
  }

  refusesWithoutSecrets(): void {
    const without = this.config();
    hold(
      /Copy .env.example to .env/.test(without.stderr),
      `without .env it says: ${without.stderr}`,
    );
    this.env(EXAMPLE());
    const unfilled = this.config();
    hold(
      unfilled.status !== 0 && /fill in [A-Z]+_/.test(unfilled.stderr),
      `unfilled: ${unfilled.stderr}`,
    );
  }

  /** Reads the file with a filled `.env`. */
  services(): Services {
    this.env(
      EXAMPLE().replace(
        /^(POSTGRES_PASSWORD|POSTGRES_SERVICE_PASSWORD|REDIS_PASSWORD|ENCRYPTION_KEY|PUBLIC_URL)=$/gm,
        (line) => line + SECRETS[line.slice(0, -1) as keyof typeof SECRETS],
      ),
    );
    const { status, stdout, stderr } = this.config();
    hold(status === 0, stderr);
    const json = spawnSync(
      'python3',
      ['-c', 'import sys, yaml, json; json.dump(yaml.safe_load(sys.stdin), sys.stdout)'],
      { input: stdout, encoding: 'utf8' },
    );
    hold(json.status === 0, json.stderr);
    return (JSON.parse(json.stdout) as { services: Services }).services;
  }

  private env(text: string): void {
    writeFileSync(join(this.folder, '.env'), text);
  }

  private config() {
    return spawnSync('docker-compose', ['config'], {
      cwd: this.folder,
      env: { PATH: process.env.PATH, HOME: process.env.HOME },
      encoding: 'utf8',
    });
  }
}

const EXAMPLE = () => readFileSync(join(ROOT, '.env.example'), 'utf8');

/** What the compose file must hold, sentence by sentence. */
export const PROMISES: [string, (services: Services) => void][] = [
  [
    'every image is pinned to a full version',
    (services) => {
      for (const { image } of Object.values(services))
        hold(
          /:\d+\.\d+(\.\d+)?(-\w+)?(@sha256:[0-9a-f]{64})?$/.test(image),
          `${image} is not pinned`,
        );
    },
  ],
  [
    'the API and the worker start after the migration and the grants, which start after a healthy database',
    ({ migrate, roles, api, worker }) => {
      hold(
        migrate?.depends_on?.postgres?.condition === 'service_healthy',
        'the migration does not wait',
      );
      const done = 'service_completed_successfully';
      hold(
        roles?.depends_on?.migrate?.condition === done,
        'the grants do not wait for the migration',
      );
      for (const it of [api, worker]) {
        hold(it?.depends_on?.roles?.condition === done, 'no grants first');
        hold(it?.depends_on?.redis?.condition === 'service_healthy', 'no Redis first');
      }
    },
  ],
  [
    'the migration runs until it has succeeded; what serves is started again, and only what is healthy counts as started',
    ({ migrate, roles, ...others }) => {
      for (const it of [migrate, roles])
        hold(it?.restart === 'on-failure', 'a step that fails is not tried again');
      for (const [name, it] of Object.entries(others)) {
        hold(it.restart === 'unless-stopped', `${name} is not started again`);
        hold(
          name === 'proxy' || it.healthcheck?.test.length,
          `nobody knows whether ${name} is well`,
        );
      }
    },
  ],
  [
    'the API and the worker do not know the password of the owner of the database',
    ({ api, worker }) => {
      for (const it of [api, worker]) {
        hold(
          /^postgres:\/\/quiz_service:b2c3d4@/.test(String(it?.environment.DATABASE_URL)),
          'another role',
        );
        hold(!JSON.stringify(it?.environment).includes('a1b2c3'), 'they know it');
      }
    },
  ],
  [
    'Redis asks for a password, evicts nothing and writes to disk; database and queue keep their data in volumes',
    ({ redis, postgres }) => {
      hold(/--requirepass/.test(String(redis?.command)), 'Redis has no password');
      hold(/noeviction/.test(String(redis?.command)), 'Redis may evict');
      hold(/--appendonly yes/.test([redis?.command].flat().join(' ')), 'Redis has no AOF');
      hold(redis?.volumes?.length === 1 && postgres?.volumes?.length === 1, 'a volume is missing');
    },
  ],
  [
    'our containers are read-only, have no privileges, have an init, and get more time to stop than they need',
    ({ migrate, api, worker }) => {
      for (const it of [migrate, api, worker]) {
        hold(it?.read_only && it.init, 'not read-only, or no init');
        hold(it.cap_drop?.join() === 'ALL', 'it keeps capabilities');
        hold(it.security_opt?.join() === 'no-new-privileges:true', 'it may gain privileges');
        hold(parseInt(it.stop_grace_period ?? '') > 25, 'the time to stop is too short');
      }
    },
  ],
  [
    'every container has limits on memory, processes and the size of its log',
    (services) => {
      for (const [name, it] of Object.entries(services))
        hold(
          it.mem_limit && it.pids_limit && it.logging?.options?.['max-size'],
          `${name} has none`,
        );
    },
  ],
  [
    'only the API, on this machine, and the proxy have a published port, and no secret is in the file',
    (services) => {
      const published = Object.keys(services).filter((name) => services[name]?.ports);
      hold(
        published.every((name) => ['api', 'proxy'].includes(name)),
        `published: ${published.join()}`,
      );
      hold(
        /127\.0\.0\.1/.test(JSON.stringify(services.api?.ports)),
        'the API is published to everybody',
      );
      const text = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8');
      for (const [, value = ''] of text.matchAll(/(?:PASSWORD|ENCRYPTION_KEY|TOKEN|AUTH): (.+)/g))
        hold(
          value.startsWith('${') || value === "''",
          `a secret stands in the file: ${value.slice(0, 3)}…`,
        );
    },
  ],
];
