import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Config, InvalidSettings, loadConfig } from './config';
import type { Setting } from './setting-types';
import { SETTING_NAMES, SETTINGS } from './settings';

const ENCRYPTION_KEY = Buffer.alloc(32, 'a test').toString('base64');
const PUBLIC_URL = 'https://quiz.example.com';
const PRODUCTION = { NODE_ENV: 'production', ENCRYPTION_KEY, PUBLIC_URL };

function errorsOf(env: Record<string, string>): string[] {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof InvalidSettings) return error.errors;
    throw error;
  }
  return [];
}

describe('without any setting', () => {
  it('without settings every value is the documented default', () => {
    expect(loadConfig({})).toEqual(DEFAULTS);
  });

  it('an empty or blank setting counts as absent', () => {
    const blank = Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, '  ']));
    expect(loadConfig(blank)).toEqual(loadConfig({}));
  });

  it('without PUBLIC_URL its default follows PORT', () => {
    expect(loadConfig({ PORT: '8080' }).publicUrl).toBe('http://localhost:8080');
    expect(loadConfig({ PUBLIC_URL: 'https://quiz.example.com/' }).publicUrl).toBe(
      'https://quiz.example.com',
    );
  });
});

test('no setting of the person who runs the tests reaches them', () => {
  expect(SETTING_NAMES.filter((name) => name in process.env)).toEqual(['NODE_ENV']);
});

test('every setting is read for a field of the configuration', () => {
  const unread = new Set<string>(Object.keys(SETTINGS));
  const defaults: Record<string, unknown> = Object.fromEntries(
    Object.entries<Setting<unknown>>(SETTINGS).map(([name, { fallback, read }]) => [
      name,
      fallback === null ? null : read(fallback),
    ]),
  );
  const values = new Proxy(defaults as ConstructorParameters<typeof Config>[0], {
    get: (_, name) => {
      unread.delete(String(name));
      return defaults[String(name)];
    },
  });
  expect(new Config(values)).toBeInstanceOf(Config);
  expect([...unread]).toEqual([]);
});

describe('a setting in a file', () => {
  let folder: string;
  let file: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'quiz-settings-'));
    file = join(folder, 'database-url');
    writeFileSync(file, 'postgres://quiz:secret@db/quiz\n');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('a setting is read from the file that NAME_FILE names', () => {
    expect(loadConfig({ DATABASE_URL_FILE: file }).databaseUrl).toBe(
      'postgres://quiz:secret@db/quiz',
    );
  });

  it('a setting given with its NAME_FILE, or from an unreadable or empty file, is refused', () => {
    expect(errorsOf({ DATABASE_URL_FILE: file, DATABASE_URL: 'postgres://db/quiz' })).toEqual([
      expect.stringContaining('DATABASE_URL must not be set together with DATABASE_URL_FILE'),
    ]);
    expect(errorsOf({ METRICS_TOKEN_FILE: join(folder, 'none') })).toEqual([
      expect.stringMatching(
        /^METRICS_TOKEN cannot be read from METRICS_TOKEN_FILE=.*none \(ENOENT\)/,
      ),
    ]);
    writeFileSync(join(folder, 'empty'), '\n');
    expect(errorsOf({ METRICS_TOKEN_FILE: join(folder, 'empty') })).toEqual([
      expect.stringMatching(/^METRICS_TOKEN must not be empty in the file of METRICS_TOKEN_FILE=/),
    ]);
  });
});

describe('REDIS_SENTINELS', () => {
  it('REDIS_SENTINELS is a list of host:port and needs REDIS_URL for the name of the group', () => {
    const REDIS_SENTINELS = 'redis-1:26379, [fd00::2]:26379';
    expect(
      loadConfig({ REDIS_SENTINELS, REDIS_URL: 'redis://:secret@quiz' }).redisSentinels,
    ).toEqual([
      { host: 'redis-1', port: 26379 },
      { host: 'fd00::2', port: 26379 },
    ]);
    expect(errorsOf({ REDIS_SENTINELS })).toEqual([
      expect.stringContaining('REDIS_SENTINELS needs REDIS_URL'),
    ]);
    expect(errorsOf({ REDIS_SENTINELS: 'redis-1', REDIS_URL: 'redis://quiz' })).toEqual([
      expect.stringContaining('REDIS_SENTINELS must be host:port'),
    ]);
  });
});

describe('the environment of API keys', () => {
  it('keys are live in production and test elsewhere, unless KEY_ENVIRONMENT is set', () => {
    expect(loadConfig(PRODUCTION).keyEnvironment).toBe('live');
    expect(loadConfig({ NODE_ENV: 'staging' }).keyEnvironment).toBe('test');
    expect(loadConfig({ ...PRODUCTION, KEY_ENVIRONMENT: 'test' }).keyEnvironment).toBe('test');
    expect(loadConfig({ KEY_ENVIRONMENT: 'live' }).keyEnvironment).toBe('live');
  });
});

describe('invalid settings', () => {
  it('invalid settings are all listed at once, each with its reason and an example', () => {
    const errors = errorsOf({
      PORT: '99999',
      API_PROCESSES: 'all',
      DATABASE_URL: 'mysql://db/quiz',
      REDIS_URL: 'http://redis',
      PUBLIC_URL: 'quiz.example.com',
      KEY_ENVIRONMENT: 'prod',
      RATE_LIMIT_PER_MINUTE: '0',
      TRUST_PROXY: 'true',
      QUIZ_QUOTA_STARTER: 'many',
      QUIZ_QUOTA_PRO: '-1',
      MODERATION: 'none',
      ENCRYPTION_KEY: 'short',
      WEBHOOK_RETRY_DELAYS: '1m,soon',
      WEBHOOK_TIMEOUT: '30',
      WEBHOOK_RETENTION: '30 days',
      WEBHOOK_ALLOW_INSECURE: 'yes',
      MAIL_FROM: 'Quizzes',
      LOG_LEVEL: 'loud',
      METRICS_PORT: '-1',
      METRICS_TOKEN: 'short',
    });
    expect(errors).toHaveLength(20);
    for (const error of errors) {
      const [, name = '', example] =
        /^([A-Z_]+) must be .+, for example ([A-Z_]+=.+)$/.exec(error) ?? [];
      expect(example).toBe(`${name}=${SETTINGS[name as keyof typeof SETTINGS].example}`);
    }
  });

  it('invalid settings are one message with one line each', () => {
    expect(() => loadConfig({ PORT: 'x', LOG_LEVEL: 'y' })).toThrow(
      /^2 settings are invalid, so nothing was started:\n {2}PORT .+\n {2}LOG_LEVEL .+$/,
    );
    expect(() => loadConfig({ PORT: 'x' })).toThrow(/^A setting is invalid, .+\n {2}PORT .+$/);
  });

  it('the message about invalid settings does not repeat their values', () => {
    const secret = 'hunter2-5d41402abc4b2a76';
    const errors = errorsOf(
      Object.fromEntries(
        Object.keys(SETTINGS).map((name) => [name, `x://u:${secret}@[/${secret}`]),
      ),
    );
    expect(errors.length).toBeGreaterThan(12);
    expect(errors.join()).not.toContain(secret);
  });

  it('TRUST_PROXY=true is refused', () => {
    expect(errorsOf({ TRUST_PROXY: 'true' })).toEqual([
      expect.stringContaining('TRUST_PROXY must be a number of proxy hops'),
    ]);
  });
});

describe('the examples of settings', () => {
  it.each(Object.entries(SETTINGS))(
    'the documented example of %s is valid',
    (name, { example }) => {
      const needed = { ENCRYPTION_KEY, PUBLIC_URL, REDIS_URL: 'redis://redis:6379' };
      if (name !== 'ENCRYPTION_KEY') expect(errorsOf({ ...needed, [name]: example })).toEqual([]);
      else expect(example).toContain('openssl rand -base64 32');
    },
  );
});

describe('API_PROCESSES', () => {
  it('API_PROCESSES above 1 needs REDIS_URL', () => {
    expect(errorsOf({ API_PROCESSES: '1' })).toEqual([]);
    expect(errorsOf({ API_PROCESSES: '2' })).toEqual([
      expect.stringContaining('API_PROCESSES above 1 needs REDIS_URL'),
    ]);
  });
  it('the metrics ports of all API processes must differ from PORT', () => {
    const settings = { REDIS_URL: 'redis://redis', PORT: '3002', METRICS_PORT: '3000' };
    expect(errorsOf({ ...settings, API_PROCESSES: '2' })).toEqual([]);
    expect(errorsOf({ ...settings, API_PROCESSES: '3' })).toEqual([
      'METRICS_PORT and API_PROCESSES use the ports 3000 to 3002, and PORT is one of them: choose others, for example METRICS_PORT=3003',
    ]);
  });
  it('the metrics ports of all API processes must exist', () => {
    const settings = { REDIS_URL: 'redis://redis', METRICS_PORT: '65534' };
    expect(errorsOf({ ...settings, API_PROCESSES: '2' })).toEqual([]);
    expect(errorsOf({ ...settings, API_PROCESSES: '3' })).toEqual([
      'METRICS_PORT and API_PROCESSES use the ports 65534 to 65536, and there is none above 65535: choose a lower METRICS_PORT, for example METRICS_PORT=9464',
    ]);
  });
  it.each(['0', '129', '1.5', 'AUTO'])('API_PROCESSES=%s is refused', (API_PROCESSES) => {
    expect(errorsOf({ API_PROCESSES })).toEqual([
      'API_PROCESSES must be an integer from 1 to 128, or auto, for example API_PROCESSES=auto',
    ]);
  });
});

describe('DATABASE_REPLICA_URLS', () => {
  it('DATABASE_REPLICA_URLS needs REDIS_URL', () => {
    expect(errorsOf({ DATABASE_REPLICA_URLS: 'postgres://quiz:secret@replica/quiz' })).toEqual([
      expect.stringContaining('DATABASE_REPLICA_URLS needs REDIS_URL'),
    ]);
  });
  it('DATABASE_REPLICA_URLS lists every replica', () => {
    const several = 'postgres://a/quiz, postgres://b/quiz';
    const config = loadConfig({ DATABASE_REPLICA_URLS: several, REDIS_URL: 'redis://redis' });
    expect(config.databaseReplicaUrls).toEqual(['postgres://a/quiz', 'postgres://b/quiz']);
  });
});

describe('WEBHOOK_ALLOW_INSECURE', () => {
  it('webhooks to this machine need no setting in development, and are refused elsewhere', () => {
    for (const NODE_ENV of ['', 'development', 'test'])
      expect(loadConfig({ NODE_ENV }).webhooks).toMatchObject({
        allowInsecure: false,
        allowLoopback: true,
      });
    expect(loadConfig(PRODUCTION).webhooks.allowLoopback).toBe(false);
    expect(loadConfig({ NODE_ENV: 'staging' }).webhooks.allowLoopback).toBe(false);
  });

  it.each(['production', ' production '])(
    'WEBHOOK_ALLOW_INSECURE is refused when NODE_ENV is %j',
    (NODE_ENV) => {
      expect(
        errorsOf({ ENCRYPTION_KEY, PUBLIC_URL, NODE_ENV, WEBHOOK_ALLOW_INSECURE: 'true' }),
      ).toEqual([
        expect.stringMatching(/^WEBHOOK_ALLOW_INSECURE opens the private network .+: remove it$/),
      ]);
    },
  );

  it('WEBHOOK_ALLOW_INSECURE=true is accepted outside production, and false everywhere', () => {
    expect(loadConfig({ WEBHOOK_ALLOW_INSECURE: 'true' }).webhooks.allowInsecure).toBe(true);
    expect(errorsOf({ ...PRODUCTION, WEBHOOK_ALLOW_INSECURE: 'false' })).toEqual([]);
  });
});

describe('settings in production', () => {
  it('production needs ENCRYPTION_KEY and PUBLIC_URL, which are reported with all other errors', () => {
    expect(errorsOf({ NODE_ENV: 'production', PORT: 'x' })).toEqual([
      expect.stringMatching(/^PORT must be/),
      expect.stringMatching(/^ENCRYPTION_KEY is needed in production.*openssl rand -base64 32$/),
      expect.stringMatching(/^PUBLIC_URL is needed in production.*PUBLIC_URL=https:/),
    ]);
  });

  it('a migration in production needs neither ENCRYPTION_KEY nor PUBLIC_URL', () => {
    expect(loadConfig({ NODE_ENV: 'production' }, 'migration')).toMatchObject({
      production: true,
      encryptionKeys: [],
    });
    expect(() => loadConfig({ NODE_ENV: 'production', PORT: 'x' }, 'migration')).toThrow(/PORT/);
  });

  it.each([Buffer.alloc(32), Buffer.alloc(32, 7)])(
    'production refuses an ENCRYPTION_KEY of one repeated byte, as either of two keys',
    (weak) => {
      const refused = [expect.stringMatching(/^ENCRYPTION_KEY is one byte repeated.*openssl rand/)];
      const key = weak.toString('base64');
      expect(errorsOf({ ...PRODUCTION, ENCRYPTION_KEY: key })).toEqual(refused);
      expect(errorsOf({ ...PRODUCTION, ENCRYPTION_KEY: `${ENCRYPTION_KEY},${key}` })).toEqual(
        refused,
      );
    },
  );

  it('ENCRYPTION_KEY accepts two keys for a rotation, and no third', () => {
    const [a, b] = [Buffer.alloc(32, 'old'), Buffer.alloc(32, 'new')];
    const keys = (...all: Buffer[]) => all.map((key) => key.toString('base64')).join(', ');
    expect(loadConfig({ ...PRODUCTION, ENCRYPTION_KEY: keys(b, a) }).encryptionKeys).toEqual([
      b,
      a,
    ]);
    expect(errorsOf({ ...PRODUCTION, ENCRYPTION_KEY: keys(a, b, a) })).toEqual([
      expect.stringMatching(/^ENCRYPTION_KEY must be one key, or two separated by a comma/),
    ]);
  });

  it.each(['prod', 'Production', 'PRD', 'live'])(
    'NODE_ENV=%s is reported as not production',
    (NODE_ENV) => {
      expect(errorsOf({ NODE_ENV })).toEqual([
        'NODE_ENV must be written production where that is meant, for example NODE_ENV=production',
      ]);
    },
  );
});

describe('METRICS_PORT', () => {
  it('METRICS_PORT equal to PORT is refused', () => {
    expect(errorsOf({ PORT: '9464', METRICS_PORT: '9464' })).toEqual([
      'METRICS_PORT must differ from PORT, for example METRICS_PORT=9465',
    ]);
    expect(errorsOf({ PORT: '65535', METRICS_PORT: '65535' })).toEqual([
      'METRICS_PORT must differ from PORT, for example METRICS_PORT=65534',
    ]);
    expect(errorsOf({ PORT: '0', METRICS_PORT: '0' })).toEqual([]);
  });

  it.each([
    ['9464', '127.0.0.1', 9464],
    ['0.0.0.0:9464', '0.0.0.0', 9464],
    ['[::]:0', '::', 0],
  ])('METRICS_PORT %s is read', (value, host, port) => {
    expect(loadConfig({ METRICS_PORT: value }).metrics).toEqual({ host, port });
  });

  it.each(['65536', 'localhost:9464', '0.0.0.0:', ':9464', '0.0.0.0'])(
    'METRICS_PORT %s is refused',
    (value) => {
      expect(errorsOf({ METRICS_PORT: value })).toEqual([
        expect.stringMatching(/^METRICS_PORT must be a port, or an IP address and a port/),
      ]);
    },
  );
});

const DEFAULTS = {
  production: false,
  port: 3000,
  apiProcesses: 1,
  dataDir: './data',
  databaseUrl: null,
  databaseReplicaUrls: [],
  redisUrl: null,
  redisSentinels: null,
  publicUrl: 'http://localhost:3000',
  publicUrlGiven: false,
  signUp: true,
  unlistedLinks: true,
  openTdb: true,
  keyEnvironment: 'test',
  rateLimitPerMinute: 60,
  trustProxy: null,
  quizQuota: { free: 3, starter: 25, pro: 250 },
  moderation: 'manual',
  encryptionKeys: [],
  webhooks: {
    retryDelays: [60_000, 600_000, 3_600_000],
    timeout: 30_000,
    retention: 30 * 24 * 3_600_000,
    allowInsecure: false,
    allowLoopback: true,
  },
  smtpUrl: null,
  mailFrom: 'Quiz Question Service <quiz@localhost>',
  metrics: null,
  metricsToken: null,
  logLevel: 'info',
};

it('an invalid environment also names the settings that may be misspelled', () => {
  const env = { NODE_ENV: 'production', PUBLIC_URL, ENCRYPTON_KEY: ENCRYPTION_KEY };
  expect(() => loadConfig(env)).toThrow(
    /^A setting is invalid, .*\n  ENCRYPTION_KEY .*\n  ENCRYPTON_KEY is not a setting and does nothing: did you mean ENCRYPTION_KEY\?$/,
  );
});
