import { LIMITS } from '../limits/limits';
import { conflicts } from './setting-conflicts';
import * as read from './setting-types';
import { setting, type Setting } from './setting-types';

/** Every setting of the service. `npm run settings` generates .env.example and docs/configuration.md from it. */
export const SETTINGS = {
  NODE_ENV: setting(
    read.nodeEnv,
    'development',
    'production',
    '`production` enables the safe defaults and checks; other environments: `development`, `test`, `staging`.',
  ),
  PORT: setting(read.integer(0, 65_535), 3000, '3000', 'Port of the API; `0` picks a free port.'),
  DATA_DIR: setting(
    read.text,
    './data',
    './data',
    'Directory of the embedded database and of generated secrets.',
  ),
  DATABASE_URL: setting<string | null>(
    read.url('postgres', 'postgresql'),
    null,
    'postgres://quiz:secret@db:5432/quiz',
    'URL of a PostgreSQL server, version 14 or newer.',
    'embedded PostgreSQL',
  ),
  DATABASE_REPLICA_URLS: setting<string[] | null>(
    read.several(read.url('postgres', 'postgresql')),
    null,
    'postgres://quiz:secret@replica:5432/quiz',
    'Streaming replicas for reads, separated by commas; needs `REDIS_URL` (see docs/scaling.md).',
    'none',
  ),
  REDIS_URL: setting<string | null>(
    read.url('redis', 'rediss'),
    null,
    'redis://redis:6379',
    'Redis for the job queue and for rate limits shared between API processes.',
    'queue in PostgreSQL, rate limits in memory',
  ),
  REDIS_SENTINELS: setting<{ host: string; port: number }[] | null>(
    read.several(read.hostAndPort),
    null,
    'sentinel-1:26379,sentinel-2:26379,sentinel-3:26379',
    'Redis Sentinels that track the primary; the host in `REDIS_URL` is then the name of the group they watch.',
    'none',
  ),
  PUBLIC_URL: setting<string | null>(
    read.address,
    null,
    'https://quiz.example.com',
    'Public URL of the service; required in production.',
    '`http://localhost:PORT`',
  ),
  SIGN_UP: setting<'on' | 'off' | null>(
    read.oneOf('on', 'off'),
    null,
    'off',
    'Whether visitors can create an account in the dashboard.',
    'off in production, else on',
  ),
  KEY_ENVIRONMENT: setting<'live' | 'test' | null>(
    read.oneOf('live', 'test'),
    null,
    'live',
    'Which API keys are issued and accepted: `live` or `test`.',
    'live in production, else test',
  ),
  RATE_LIMIT_PER_MINUTE: setting(
    read.integer(1, 1_000_000_000),
    LIMITS.requests.perMinute.value,
    '60',
    'API requests per minute and client address (IPv6: per /64 prefix); pages allow 30 times as many.',
  ),
  TRUST_PROXY: setting<number | string[] | null>(
    read.trustedProxies,
    null,
    '1',
    'Number of proxy hops, or the proxy networks, whose `X-Forwarded-For` header is trusted.',
    'none',
  ),
  QUIZ_QUOTA_STARTER: setting(
    read.integer(0, 1_000_000),
    25,
    '25',
    'Quizzes that a Starter account may own.',
  ),
  QUIZ_QUOTA_PRO: setting(
    read.integer(0, 1_000_000),
    250,
    '250',
    'Quizzes that a Pro account may own.',
  ),
  IMPORT_MAX_MIB: setting(
    read.integer(1, 1_024),
    64,
    '64',
    'Size in MiB of the largest question file that the API accepts.',
  ),
  MODERATION: setting<'manual' | 'auto'>(
    read.oneOf('manual', 'auto'),
    'manual',
    'manual',
    '`manual`: an administrator reviews each quiz; `auto`: every quiz is approved when it is created.',
  ),
  ENCRYPTION_KEY: setting<Buffer[] | null>(
    read.encryptionKeys,
    null,
    'the output of: openssl rand -base64 32',
    '32-byte key that encrypts webhook secrets; required in production. To rotate it, set the new and the old key, separated by a comma.',
    'generated in DATA_DIR',
  ),
  WEBHOOK_RETRY_DELAYS: setting(
    read.durations,
    [60_000, 600_000, 3_600_000],
    '1m,10m,1h',
    'Delay before each retry of a failed webhook delivery.',
  ),
  WEBHOOK_TIMEOUT: setting(
    read.duration('1h'),
    30_000,
    '30s',
    'Time a webhook receiver has to respond.',
  ),
  WEBHOOK_RETENTION: setting(
    read.duration('365d'),
    30 * 86_400_000,
    '30d',
    'How long delivered webhook payloads are kept.',
  ),
  WEBHOOK_ALLOW_INSECURE: setting(
    read.flag,
    false,
    'true',
    'Allows webhooks to `http` URLs and to private addresses; refused in production.',
  ),
  METRICS_PORT: setting<number | null>(
    read.integer(0, 65_535),
    null,
    '9464',
    'Port of `/metrics` and `/health` for the API and for the worker, on the private network only.',
    'none',
  ),
  METRICS_HOST: setting(
    read.ipAddress,
    '127.0.0.1',
    '0.0.0.0',
    'IP address that `METRICS_PORT` listens on; use `0.0.0.0` when Prometheus runs on another machine.',
  ),
  METRICS_TOKEN: setting<string | null>(
    read.token,
    null,
    'a-long-random-text',
    'Bearer token that Prometheus must send to read `/metrics`.',
    'none',
  ),
  LOG_LEVEL: setting(
    read.oneOf('fatal', 'error', 'warn', 'info', 'debug', 'silent'),
    'info',
    'warn',
    'Lowest severity that is logged.',
  ),
} satisfies Record<string, Setting<unknown>>;

type Values = { [Name in keyof typeof SETTINGS]: (typeof SETTINGS)[Name]['fallback'] };

/** The settings as the code uses them, injected wherever they are needed. */
export class Config {
  readonly production: boolean;
  readonly port: number;
  readonly dataDir: string;
  readonly databaseUrl: string | null;
  readonly databaseReplicaUrls: readonly string[];
  readonly redisUrl: string | null;
  readonly redisSentinels: { host: string; port: number }[] | null;
  readonly publicUrl: string;
  /** Whether PUBLIC_URL was set. If not, visitors may use any address that reaches this process. */
  readonly publicUrlGiven: boolean;
  readonly signUp: boolean;
  readonly keyEnvironment: 'live' | 'test';
  readonly rateLimitPerMinute: number;
  readonly trustProxy: number | string[] | null;
  /** Quizzes an account may own, by plan. Free accounts own none. */
  readonly quizQuota: { readonly free: 0; readonly starter: number; readonly pro: number };
  /** Bytes. */
  readonly importLargestFile: number;
  readonly moderation: 'manual' | 'auto';
  /** The first key encrypts, all of them decrypt. Empty if none is set. */
  readonly encryptionKeys: readonly Buffer[];
  /** All in milliseconds. */
  readonly webhooks: {
    readonly retryDelays: readonly number[];
    readonly timeout: number;
    readonly retention: number;
    readonly allowInsecure: boolean;
  };
  /** Null: no metrics. 0: a free port. */
  readonly metricsPort: number | null;
  readonly metricsHost: string;
  readonly metricsToken: string | null;
  readonly logLevel: Values['LOG_LEVEL'];

  constructor(values: Values) {
    this.production = values.NODE_ENV === 'production';
    this.port = values.PORT;
    this.dataDir = values.DATA_DIR;
    this.databaseUrl = values.DATABASE_URL;
    this.databaseReplicaUrls = values.DATABASE_REPLICA_URLS ?? [];
    this.redisUrl = values.REDIS_URL;
    this.redisSentinels = values.REDIS_SENTINELS;
    this.publicUrl = values.PUBLIC_URL ?? `http://localhost:${values.PORT}`;
    this.publicUrlGiven = values.PUBLIC_URL !== null;
    this.signUp = values.SIGN_UP === null ? !this.production : values.SIGN_UP === 'on';
    this.keyEnvironment = values.KEY_ENVIRONMENT ?? (this.production ? 'live' : 'test');
    this.rateLimitPerMinute = values.RATE_LIMIT_PER_MINUTE;
    this.trustProxy = values.TRUST_PROXY;
    this.quizQuota = {
      free: 0,
      starter: values.QUIZ_QUOTA_STARTER,
      pro: values.QUIZ_QUOTA_PRO,
    };
    this.importLargestFile = values.IMPORT_MAX_MIB * 1_048_576;
    this.moderation = values.MODERATION;
    this.encryptionKeys = values.ENCRYPTION_KEY ?? [];
    this.webhooks = {
      retryDelays: values.WEBHOOK_RETRY_DELAYS,
      timeout: values.WEBHOOK_TIMEOUT,
      retention: values.WEBHOOK_RETENTION,
      allowInsecure: values.WEBHOOK_ALLOW_INSECURE,
    };
    this.metricsPort = values.METRICS_PORT;
    this.metricsHost = values.METRICS_HOST;
    this.metricsToken = values.METRICS_TOKEN;
    this.logLevel = values.LOG_LEVEL;
  }
}

/** Startup fails with this error. It lists every invalid setting on its own line, with an example. */
export class InvalidSettings extends Error {
  constructor(readonly errors: string[]) {
    super(
      `${errors.length === 1 ? 'A setting is' : `${errors.length} settings are`} invalid, so nothing was started:\n` +
        errors.map((line) => `  ${line}`).join('\n'),
    );
  }
}

/**
 * Reads the settings from an environment.
 * @throws InvalidSettings naming every error at once.
 */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const errors: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries<Setting<unknown>>(SETTINGS)) {
    try {
      const given = read.settingText(env, name);
      values[name] = given ? setting.read(given) : setting.fallback;
    } catch (error) {
      if (!(error instanceof read.SettingError)) throw error;
      // An invalid DATABASE_URL or ENCRYPTION_KEY is still a secret, so the message does not repeat the value.
      errors.push(`${name} ${error.message}, for example ${name}=${setting.example}`);
    }
  }
  errors.push(...conflicts(values));
  if (errors.length > 0) throw new InvalidSettings(errors);
  return new Config(values as Values);
}
