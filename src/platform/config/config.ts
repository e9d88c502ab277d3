import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartupError } from '../errors/domain-errors';
import { LIMITS } from '../limits/limits';
import * as read from './setting-types';
import { misspelledSettings, SETTINGS } from './settings';

type Values = { [Name in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[Name]['read']> };

function fieldsOf(values: Values) {
  const production = values.NODE_ENV === 'production';
  const development = ['development', 'test'].includes(values.NODE_ENV);
  const publicUrl = values.PUBLIC_URL ?? `http://localhost:${values.PORT}`;
  return {
    production,
    port: values.PORT,
    apiProcesses: values.API_PROCESSES,
    dataDir: values.DATA_DIR,
    databaseUrl: values.DATABASE_URL,
    databaseReplicaUrls: values.DATABASE_REPLICA_URLS ?? [],
    redisUrl: values.REDIS_URL,
    redisSentinels: values.REDIS_SENTINELS,
    publicUrl,
    /** Whether PUBLIC_URL was set. If not, visitors may use any address that reaches this process. */
    publicUrlGiven: values.PUBLIC_URL !== null,
    signUp: values.SIGN_UP === null ? !production : values.SIGN_UP === 'on',
    unlistedLinks: values.UNLISTED_LINKS === null ? !production : values.UNLISTED_LINKS === 'on',
    openTdb: values.OPENTDB === null ? !production : values.OPENTDB === 'on',
    keyEnvironment: values.KEY_ENVIRONMENT ?? (production ? 'live' : 'test'),
    rateLimitPerMinute: values.RATE_LIMIT_PER_MINUTE,
    trustProxy: values.TRUST_PROXY,
    /** Quizzes an account may own, by plan. */
    quizQuota: {
      free: LIMITS.content.freeQuizzes.value,
      starter: values.QUIZ_QUOTA_STARTER,
      pro: values.QUIZ_QUOTA_PRO,
    },
    moderation: values.MODERATION,
    /** The first key encrypts, all of them decrypt. Empty if none is set. */
    encryptionKeys: values.ENCRYPTION_KEY ?? [],
    /** All in milliseconds. */
    webhooks: {
      retryDelays: values.WEBHOOK_RETRY_DELAYS,
      timeout: values.WEBHOOK_TIMEOUT,
      retention: values.WEBHOOK_RETENTION,
      allowInsecure: values.WEBHOOK_ALLOW_INSECURE,
      /** On a developer's machine, receivers run next to the service. On a server such as staging, other services do. */
      allowLoopback: development,
    },
    smtpUrl: values.SMTP_URL,
    mailFrom: values.MAIL_FROM ?? `Quiz Question Service <quiz@${new URL(publicUrl).hostname}>`,
    /** Null: no metrics. Port 0: a free port. */
    metrics: values.METRICS_PORT,
    metricsToken: values.METRICS_TOKEN,
    logLevel: values.LOG_LEVEL,
  };
}

/** The settings as the code uses them, injected wherever they are needed. */
// eslint-disable-next-line @typescript-eslint/no-unsafe-declaration-merging, @typescript-eslint/no-empty-object-type -- the constructor sets every field
export interface Config extends Readonly<ReturnType<typeof fieldsOf>> {}

// eslint-disable-next-line @typescript-eslint/no-unsafe-declaration-merging
export class Config {
  constructor(values: Values) {
    Object.assign(this, fieldsOf(values));
  }
}

/** Startup fails with this error. It lists every invalid setting on its own line, with an example. */
export class InvalidSettings extends StartupError {
  /** @param hints names of settings that may be misspelled */
  constructor(
    readonly errors: string[],
    readonly hints: string[] = [],
  ) {
    super(
      `${errors.length === 1 ? 'A setting is' : `${errors.length} settings are`} invalid, so nothing was started:\n` +
        [...errors, ...hints].map((line) => `  ${line}`).join('\n'),
    );
  }
}

/**
 * Reads the settings from an environment.
 * @param use a migration needs neither the encryption key nor the public URL in production
 * @throws InvalidSettings that lists every error
 */
export function loadConfig(
  env: NodeJS.ProcessEnv,
  use: 'service' | 'migration' = 'service',
): Config {
  const errors: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries<read.Setting<unknown>>(SETTINGS)) {
    try {
      const text = read.settingText(env, name) || setting.fallback;
      values[name] = text === null ? null : setting.read(text);
    } catch (error) {
      if (!(error instanceof read.SettingError)) throw error;
      // An invalid DATABASE_URL or ENCRYPTION_KEY is still a secret, so the message does not repeat the value.
      errors.push(`${name} ${error.message}, for example ${name}=${setting.example}`);
    }
  }
  errors.push(...conflicts(values, use === 'service'));
  if (errors.length > 0) throw new InvalidSettings(errors, misspelledSettings(env));
  return new Config(values as Values);
}

/**
 * Conflicts between settings that are valid one by one.
 * @param values an invalid setting is absent
 */
function conflicts(values: Partial<Values>, serves: boolean): string[] {
  const { API_PROCESSES = 1 } = values;
  return [
    ...(values.NODE_ENV === 'production' && serves ? unsafeInProduction(values) : []),
    conflictOfPorts(values),
    API_PROCESSES > 1 &&
      !values.REDIS_URL &&
      'API_PROCESSES above 1 needs REDIS_URL, where the processes share rate limits and which accounts have just written; set it, or remove API_PROCESSES',
    values.DATABASE_REPLICA_URLS &&
      !values.REDIS_URL &&
      'DATABASE_REPLICA_URLS needs REDIS_URL, where the API processes share which accounts have just written; set it, or remove DATABASE_REPLICA_URLS',
    values.REDIS_SENTINELS &&
      !values.REDIS_URL &&
      'REDIS_SENTINELS needs REDIS_URL, whose host is the name of the group that the Sentinels watch, for example REDIS_URL=redis://:password@quiz',
  ].filter((it) => typeof it === 'string');
}

/** Each API process has a metrics port of its own, counted up from METRICS_PORT. */
function conflictOfPorts({ PORT = 0, METRICS_PORT, API_PROCESSES = 1 }: Partial<Values>) {
  if (!METRICS_PORT?.port) return null;
  const last = METRICS_PORT.port + API_PROCESSES - 1;
  const used = `METRICS_PORT and API_PROCESSES use the ports ${METRICS_PORT.port} to ${last}`;
  if (last > LAST_PORT)
    return `${used}, and there is none above ${LAST_PORT}: choose a lower METRICS_PORT, for example METRICS_PORT=9464`;
  if (PORT < METRICS_PORT.port || PORT > last) return null;
  const isFree = PORT + API_PROCESSES <= LAST_PORT;
  const example = `METRICS_PORT=${isFree ? PORT + 1 : PORT - API_PROCESSES}`;
  return API_PROCESSES === 1
    ? `METRICS_PORT must differ from PORT, for example ${example}`
    : `${used}, and PORT is one of them: choose others, for example ${example}`;
}

const LAST_PORT = 65_535;

function unsafeInProduction(values: Partial<Values>) {
  const keys = values.ENCRYPTION_KEY;
  return [
    values.WEBHOOK_ALLOW_INSECURE &&
      'WEBHOOK_ALLOW_INSECURE opens the private network to webhook URLs and is refused when NODE_ENV=production: remove it',
    // Never generated here: it would lie beside the data that it protects, on a disk that may be ephemeral.
    keys === null &&
      'ENCRYPTION_KEY is needed in production, where it encrypts webhook secrets: set it to the output of: openssl rand -base64 32',
    keys?.some((key) => new Set(key).size === 1) &&
      'ENCRYPTION_KEY is one byte repeated, which anybody can guess, and is refused when NODE_ENV=production: set it to the output of: openssl rand -base64 32',
    values.PUBLIC_URL === null &&
      'PUBLIC_URL is needed in production, where cookies are Secure because it begins with https: set it to the public URL, for example PUBLIC_URL=https://quiz.example.com',
  ];
}

/** The process's environment. Only this folder reads it. */
export function environment(): NodeJS.ProcessEnv {
  // eslint-disable-next-line no-restricted-properties -- this is that place
  return process.env;
}

/** The settings of this process. @throws InvalidSettings */
export function configFromEnvironment(use?: 'service' | 'migration'): Config {
  return loadConfig(environment(), use);
}

/** It lies beside both src and dist. */
const PACKAGE = JSON.parse(readFileSync(join(__dirname, '../../../package.json'), 'utf8')) as {
  version: string;
  repository?: string;
};

export const VERSION = PACKAGE.version;

/** Where the source code is: `repository` in package.json. Public pages link to it. */
export const SOURCE_URL = PACKAGE.repository ?? null;
