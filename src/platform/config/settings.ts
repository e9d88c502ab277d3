import { LIMITS } from '../limits/limits';
import { singleEdit } from '../text/one-edit.rules';
import * as read from './setting-types';
import { optional, type Setting, setting } from './setting-types';

/** Every setting of the service. `npm run settings` generates .env.example and docs/configuration.md from it. */
export const SETTINGS = {
  NODE_ENV: setting(
    read.nodeEnv,
    'development',
    'production',
    '`production` enables the safe defaults and checks; other environments: `development`, `test`, `staging`.',
    { envFile: 'absent' },
  ),
  PORT: setting(
    read.integer(0, 65_535),
    '3000',
    '3000',
    'Port of the API; `0` picks a free port.',
    { envFile: 'absent' },
  ),
  API_PROCESSES: setting(
    read.processes,
    '1',
    'auto',
    'API processes that share `PORT`; `auto` starts one for each core. More than one needs `REDIS_URL`; each has its own metrics port, counted up from `METRICS_PORT`.',
  ),
  DATA_DIR: setting(read.text, './data', './data', 'Folder of the embedded database and secrets.', {
    envFile: 'absent',
  }),
  DATABASE_URL: optional(
    read.serverUrl('postgres', 'postgresql'),
    'postgres://quiz:secret@db:5432/quiz',
    'URL of a PostgreSQL server, version 14 or newer.',
    'embedded PostgreSQL',
    { envFile: 'absent' },
  ),
  DATABASE_REPLICA_URLS: optional(
    read.several(read.serverUrl('postgres', 'postgresql')),
    'postgres://quiz:secret@replica:5432/quiz',
    'Streaming replicas for reads, separated by commas; needs `REDIS_URL` (see docs/scaling.md).',
    'none',
  ),
  REDIS_URL: optional(
    read.redisUrl,
    'redis://redis:6379',
    'Redis for the job queue and for rate limits shared between API processes.',
    'queue in PostgreSQL, rate limits in memory',
    { envFile: 'absent' },
  ),
  REDIS_SENTINELS: optional(
    read.several(read.hostAndPort),
    'sentinel-1:26379,sentinel-2:26379,sentinel-3:26379',
    'Redis Sentinels that track the primary; the host in `REDIS_URL` is then the name of the group they watch. With `rediss://` the Sentinels use TLS, too.',
    'none',
  ),
  PUBLIC_URL: optional(
    read.publicUrl,
    'https://quiz.example.com',
    'Public URL of the service; required in production.',
    '`http://localhost:PORT`',
    { envFile: 'needed' },
  ),
  SIGN_UP: optional(
    read.oneOf('on', 'off'),
    'off',
    'Whether visitors can create an account in the dashboard.',
    'off in production, else on',
  ),
  UNLISTED_LINKS: optional(
    read.oneOf('on', 'off'),
    'on',
    'Whether authors can share a quiz by an unlisted link, which works before and without review.',
    'off in production, else on',
  ),
  OPENTDB: optional(
    read.oneOf('on', 'off'),
    'on',
    'Whether `/opentdb` gives public questions to clients of OpenTDB, without a key.',
    'off in production, else on',
  ),
  KEY_ENVIRONMENT: optional(
    read.oneOf('live', 'test'),
    'live',
    'Which API keys are issued and accepted: `live` or `test`.',
    'live in production, else test',
  ),
  RATE_LIMIT_PER_MINUTE: setting(
    read.integer(1, 1_000_000_000),
    String(LIMITS.requests.perMinute.value),
    '60',
    `API requests per minute and client address (IPv6: per /64 prefix); pages allow ${LIMITS.requests.pagesPerMinute.value} times as many.`,
  ),
  TRUST_PROXY: optional(
    read.trustedProxies,
    '1',
    'Number of proxy hops, or the proxy networks, whose `X-Forwarded-For` header is trusted.',
    'none',
  ),
  QUIZ_QUOTA_STARTER: setting(
    read.integer(0, 1_000_000),
    '25',
    '25',
    'Quizzes that a Starter account may own.',
  ),
  QUIZ_QUOTA_PRO: setting(
    read.integer(0, 1_000_000),
    '250',
    '250',
    'Quizzes that a Pro account may own.',
  ),
  MODERATION: setting(
    read.oneOf('manual', 'auto'),
    'manual',
    'manual',
    '`manual`: an administrator reviews each quiz, and later edits are visible at once; `auto`: every quiz is approved when it is created.',
  ),
  ENCRYPTION_KEY: optional(
    read.encryptionKeys,
    'the output of: openssl rand -base64 32',
    '32-byte key that encrypts webhook secrets; required in production. To rotate it, set the new and the old key, separated by a comma.',
    'generated in DATA_DIR',
    { envFile: 'needed' },
  ),
  WEBHOOK_RETRY_DELAYS: setting(
    read.durations,
    '1m,10m,1h',
    '1m,10m,1h',
    'Delay before each retry of a failed webhook delivery.',
  ),
  WEBHOOK_TIMEOUT: setting(
    read.duration('1h'),
    '30s',
    '30s',
    'Time a webhook receiver has to respond.',
  ),
  WEBHOOK_RETENTION: setting(
    read.duration('365d'),
    '30d',
    '30d',
    'How long events, and webhook deliveries that have ended, are kept; `GET /events` goes back as far.',
  ),
  WEBHOOK_ALLOW_INSECURE: setting(
    read.flag,
    'false',
    'true',
    'Allows webhooks to `http` URLs and to private addresses; refused in production. In development (`NODE_ENV` is `development`, `test` or not set) this machine (`localhost`) needs no setting.',
    { envFile: 'absent' },
  ),
  SMTP_URL: optional(
    read.mailServerUrl('smtp', 'smtps'),
    'smtps://quiz:secret@mail.example.com',
    'Mail server for notices, and for links that set a password or confirm an e-mail address. They lead to `PUBLIC_URL`.',
    'no e-mail; links are shown to the administrator',
  ),
  MAIL_FROM: optional(
    read.sender,
    'Quizzes <quiz@example.com>',
    'Sender of e-mails.',
    '`quiz@` the host of `PUBLIC_URL`',
  ),
  METRICS_PORT: optional(
    read.listenAddress,
    '9464',
    'Port of `/metrics` and `/health` for the API and for the worker, on 127.0.0.1; `0.0.0.0:9464` if Prometheus runs on another machine of the private network.',
    'none',
    { envFile: 'absent' },
  ),
  METRICS_TOKEN: optional(
    read.token,
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

export type SettingName = keyof typeof SETTINGS;
export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

/**
 * A sentence for each environment variable that is one typing error away from a setting that is not set. This is a
 * guess, because other programs have variables too, so it does not stop the start.
 */
export function misspelledSettings(env: NodeJS.ProcessEnv): string[] {
  const absent = Object.keys(SETTINGS).filter(
    (name) => !env[name]?.trim() && !env[`${name}_FILE`]?.trim(),
  );
  return Object.keys(env).flatMap((given) => {
    const meant = Object.hasOwn(SETTINGS, given)
      ? []
      : absent.filter((name) => isSlip(given, name));
    return meant.map((name) => `${given} is not a setting and does nothing: did you mean ${name}?`);
  });
}

function isSlip(given: string, meant: string): boolean {
  const edit = singleEdit(given, meant);
  // Short names such as PORT are close to too many others: SORT, POST.
  return edit !== null && (edit.given.length === 2 || meant.length > 5);
}
