/** Settings that are compared with one another; config.ts has all of them. */
interface Values {
  NODE_ENV: string;
  PORT: number;
  METRICS_PORT: number | null;
  DATABASE_REPLICA_URLS: unknown;
  REDIS_URL: unknown;
  REDIS_SENTINELS: unknown;
  WEBHOOK_ALLOW_INSECURE: boolean;
  ENCRYPTION_KEY: readonly Uint8Array[] | null;
  PUBLIC_URL: unknown;
}

/**
 * What is wrong with settings that are valid one by one.
 * @param values a setting that is invalid by itself is absent
 */
export function conflicts(values: Partial<Values>): string[] {
  return [
    ...(values.NODE_ENV === 'production' ? unsafeInProduction(values) : []),
    values.METRICS_PORT &&
      values.METRICS_PORT === values.PORT &&
      'METRICS_PORT must be another port than PORT, for example METRICS_PORT=9464',
    values.DATABASE_REPLICA_URLS &&
      !values.REDIS_URL &&
      'DATABASE_REPLICA_URLS needs REDIS_URL: there the API processes tell one another who has just written and must not read from a replica',
    values.REDIS_SENTINELS &&
      !values.REDIS_URL &&
      'REDIS_SENTINELS needs REDIS_URL, whose host is the name of the group that the Sentinels watch, for example REDIS_URL=redis://:password@quiz',
  ].filter((it) => typeof it === 'string');
}

function unsafeInProduction(values: Partial<Values>) {
  const keys = values.ENCRYPTION_KEY;
  return [
    values.WEBHOOK_ALLOW_INSECURE &&
      'WEBHOOK_ALLOW_INSECURE opens the private network to webhook URLs and is refused when NODE_ENV=production: remove it',
    // Never generated here: it would lie beside the data that it protects, on a disk that may be ephemeral.
    keys === null &&
      'ENCRYPTION_KEY is needed in production, where webhook secrets are sealed with it: set it to the output of: openssl rand -base64 32',
    keys?.some((key) => new Set(key).size === 1) &&
      'ENCRYPTION_KEY is one byte repeated, which anybody can guess, and is refused when NODE_ENV=production: set it to the output of: openssl rand -base64 32',
    values.PUBLIC_URL === null &&
      'PUBLIC_URL is needed in production, where cookies are Secure because it begins with https: set it to the address that people see, for example PUBLIC_URL=https://quiz.example.com',
  ];
}
