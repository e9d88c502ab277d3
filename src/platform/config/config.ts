import { LIMITS } from '../limits/limits';
import { conflicts } from './setting-conflicts';
import * as read from './setting-types';
import type { Reader } from './setting-types';

interface Setting<T> {
  read: Reader<T>;
  /** Used when the setting is absent or empty. */
  fallback: T;
  example: string;
  about: string;
}

const setting = <T>(
  reader: Reader<T>,
  fallback: NoInfer<T>,
  example: string,
  about: string,
): Setting<T> => ({ read: reader, fallback, example, about });

/** Every setting of the service. The README's table and the messages at start come from here. */
export const SETTINGS = {
  NODE_ENV: setting(
    read.nodeEnv,
    'development',
    'production',
    'production makes the safe choices; others: development, test, staging',
  ),
  PORT: setting(read.integer(0, 65_535), 3000, '3000', 'port of the API; 0 takes a free one'),
  DATA_DIR: setting(
    read.text,
    './data',
    './data',
    'folder of the embedded database and its secrets',
  ),
  DATABASE_URL: setting<string | null>(
    read.url('postgres', 'postgresql'),
    null,
    'postgres://quiz:secret@db:5432/quiz',
    'PostgreSQL 14 or newer; absent: the embedded one',
  ),
  DATABASE_REPLICA_URLS: setting<string[] | null>(
    read.several(read.url('postgres', 'postgresql')),
    null,
    'postgres://quiz:secret@replica:5432/quiz',
    'streaming replicas for reads, separated by commas; needs REDIS_URL (docs/scaling.md)',
  ),
  REDIS_URL: setting<string | null>(
    read.url('redis', 'rediss'),
    null,
    'redis://redis:6379',
    'queue and shared rate counters; absent: queue in PostgreSQL, counters in memory',
  ),
  REDIS_SENTINELS: setting<{ host: string; port: number }[] | null>(
    read.several(read.hostAndPort),
    null,
    'sentinel-1:26379,sentinel-2:26379,sentinel-3:26379',
    'Sentinels that know the Redis primary; the host in REDIS_URL is then the name of the group they watch',
  ),
  PUBLIC_URL: setting<string | null>(
    read.address,
    null,
    'https://quiz.example.com',
    'the address that people see, needed in production; absent: http://localhost:PORT',
  ),
  SIGN_UP: setting<'on' | 'off' | null>(
    read.oneOf('on', 'off'),
    null,
    'off',
    'whether anybody may create an account in the dashboard; absent: off when NODE_ENV=production, else on',
  ),
  KEY_ENVIRONMENT: setting<'live' | 'test' | null>(
    read.oneOf('live', 'test'),
    null,
    'live',
    'which API keys are issued and accepted; absent: live when NODE_ENV=production, else test',
  ),
  RATE_LIMIT_PER_MINUTE: setting(
    read.integer(1, 1_000_000_000),
    LIMITS.requests.perMinute.value,
    '60',
    'requests below /api/v1 in any minute for each address; pages have 30 times as many',
  ),
  TRUST_PROXY: setting<number | string[] | null>(
    read.trustedProxies,
    null,
    '1',
    'proxy hops, or networks, whose X-Forwarded-For counts; absent: none',
  ),
  QUIZ_QUOTA_STARTER: setting(
    read.integer(0, 1_000_000),
    25,
    '25',
    'quizzes a Starter account may own',
  ),
  QUIZ_QUOTA_PRO: setting(read.integer(0, 1_000_000), 250, '250', 'quizzes a Pro account may own'),
  IMPORT_MAX_MIB: setting(
    read.integer(1, 1_024),
    64,
    '64',
    'MiB of the largest question file that the API takes',
  ),
  MODERATION: setting<'manual' | 'auto'>(
    read.oneOf('manual', 'auto'),
    'manual',
    'manual',
    'auto approves every quiz at its creation',
  ),
  ENCRYPTION_KEY: setting<Buffer[] | null>(
    read.encryptionKeys,
    null,
    'the output of: openssl rand -base64 32',
    'encrypts webhook secrets; to change it, the new key and the old one, separated by a comma; absent: one is made in DATA_DIR (not in production)',
  ),
  WEBHOOK_RETRY_DELAYS: setting(
    read.durations,
    [60_000, 600_000, 3_600_000],
    '1m,10m,1h',
    'how long after each failure a delivery is tried again',
  ),
  WEBHOOK_TIMEOUT: setting(read.duration('1h'), 30_000, '30s', 'time a receiver has to answer'),
  WEBHOOK_RETENTION: setting(
    read.duration('365d'),
    30 * 86_400_000,
    '30d',
    'how long delivered payloads are kept',
  ),
  WEBHOOK_ALLOW_INSECURE: setting(
    read.flag,
    false,
    'true',
    'development only: webhooks to http and to private addresses',
  ),
  METRICS_PORT: setting<number | null>(
    read.integer(0, 65_535),
    null,
    '9464',
    'port for /metrics and /health of the API and of the worker, inside the private network; absent: none',
  ),
  METRICS_HOST: setting(
    read.ipAddress,
    '127.0.0.1',
    '0.0.0.0',
    'address that METRICS_PORT listens on; 0.0.0.0 for a scraper on another machine of the private network',
  ),
  METRICS_TOKEN: setting<string | null>(
    read.token,
    null,
    'a-long-random-text',
    'what Prometheus must send as Bearer token to read /metrics; absent: nothing',
  ),
  LOG_LEVEL: setting(
    read.oneOf('fatal', 'error', 'warn', 'info', 'debug', 'silent'),
    'info',
    'warn',
    'least severity that is logged',
  ),
} satisfies Record<string, Setting<unknown>>;

type Values = { [Name in keyof typeof SETTINGS]: (typeof SETTINGS)[Name]['fallback'] };

/** The settings as the code uses them. Injected everywhere; `process.env` is read nowhere else. */
export class Config {
  readonly production: boolean;
  readonly port: number;
  readonly dataDir: string;
  readonly databaseUrl: string | null;
  readonly databaseReplicaUrls: readonly string[];
  readonly redisUrl: string | null;
  readonly redisSentinels: { host: string; port: number }[] | null;
  readonly publicUrl: string;
  /** Whether PUBLIC_URL was given: if not, people come by whatever address reaches this process. */
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
  /** The first one encrypts, all of them decrypt. Empty: there are none. */
  readonly encryptionKeys: readonly Buffer[];
  /** Milliseconds, all of them. */
  readonly webhooks: {
    readonly retryDelays: readonly number[];
    readonly timeout: number;
    readonly retention: number;
    readonly allowInsecure: boolean;
  };
  /** Null: there are no metrics. 0: a free one. */
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

/** The start stops on this: every error of the settings, one a line, each with what to write instead. */
export class InvalidSettings extends Error {
  constructor(readonly errors: string[]) {
    super(
      `${errors.length === 1 ? 'A setting is' : `${errors.length} settings are`} wrong, so nothing was started:\n` +
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
      // A wrong DATABASE_URL or ENCRYPTION_KEY is a secret all the same: the value is not repeated.
      errors.push(`${name} ${error.message}, for example ${name}=${setting.example}`);
    }
  }
  errors.push(...conflicts(values));
  if (errors.length > 0) throw new InvalidSettings(errors);
  return new Config(values as Values);
}
