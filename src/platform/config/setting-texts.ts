import { loadConfig, SETTINGS, type Config } from './config';
import { settingText } from './setting-types';

export type SettingName = keyof typeof SETTINGS;
export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

/** Never shown: who has them can read or forge what is not theirs. */
const SECRETS: ReadonlySet<SettingName> = new Set(['ENCRYPTION_KEY', 'METRICS_TOKEN']);
/** Addresses that may carry a password. */
const WITH_PASSWORD: ReadonlySet<SettingName> = new Set([
  'DATABASE_URL',
  'DATABASE_REPLICA_URLS',
  'REDIS_URL',
]);
const HIDDEN = '(hidden)';

/** A setting as `quizctl config print` shows it. */
export interface ShownSetting {
  name: SettingName;
  /** Null where there is none. Secrets are replaced. */
  value: string | null;
  /** `derived`: absent, and made of other settings. */
  source: 'default' | 'derived' | 'environment';
  about: string;
}

/** What holds where these are absent. */
const DERIVED: Partial<Record<SettingName, (config: Config) => string>> = {
  PUBLIC_URL: (config) => config.publicUrl,
  SIGN_UP: (config) => (config.signUp ? 'on' : 'off'),
  KEY_ENVIRONMENT: (config) => config.keyEnvironment,
};

/**
 * Every setting with where its value comes from; no secret among them.
 * @throws InvalidSettings
 */
export function shownSettings(env: NodeJS.ProcessEnv): ShownSetting[] {
  const config = loadConfig(env);
  return SETTING_NAMES.map((name) => ({ name, ...shown(name), about: SETTINGS[name].about }));

  function shown(name: SettingName): Pick<ShownSetting, 'value' | 'source'> {
    const given = settingText(env, name);
    if (given) return { value: redacted(name, given), source: 'environment' };
    const derive = DERIVED[name];
    if (derive) return { value: derive(config), source: 'derived' };
    return { value: defaultText(name), source: 'default' };
  }
}

function redacted(name: SettingName, text: string): string {
  if (SECRETS.has(name)) return HIDDEN;
  if (!WITH_PASSWORD.has(name)) return text;
  return text.split(',').map(withoutPassword).join(',');
}

function withoutPassword(text: string): string {
  const url = new URL(text);
  if (url.password) url.password = 'hidden';
  // PostgreSQL takes a password here, too.
  for (const key of [...url.searchParams.keys()])
    if (/passw|secret|key/i.test(key)) url.searchParams.set(key, 'hidden');
  return url.href;
}

/** The default as somebody would write it; null where being absent is the default. */
export function defaultText(name: SettingName): string | null {
  const { fallback } = SETTINGS[name];
  if (fallback === null) return null;
  if (Array.isArray(fallback)) return fallback.map((it) => time(Number(it))).join(',');
  return TIMES.has(name) ? time(Number(fallback)) : String(fallback);
}

const TIMES: ReadonlySet<SettingName> = new Set(['WEBHOOK_TIMEOUT', 'WEBHOOK_RETENTION']);

const UNITS: [string, number][] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
];

/** Milliseconds in the largest unit that holds them whole. */
function time(milliseconds: number): string {
  const [unit, size] = UNITS.find(([, each]) => milliseconds % each === 0) ?? ['ms', 1];
  return `${milliseconds / size}${unit}`;
}
