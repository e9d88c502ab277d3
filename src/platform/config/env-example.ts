import { SETTINGS } from './config';
import { defaultText, SETTING_NAMES, type SettingName } from './setting-texts';

/** docker-compose.yml says where it has put things, and runs for production, which refuses the last one. */
const NOT_HERE: ReadonlySet<SettingName> = new Set([
  'NODE_ENV',
  'DATABASE_URL',
  'REDIS_URL',
  'DATA_DIR',
  'PORT',
  'METRICS_PORT',
  'METRICS_HOST',
  'WEBHOOK_ALLOW_INSECURE',
]);
const NEEDED: readonly SettingName[] = ['ENCRYPTION_KEY', 'PUBLIC_URL'];

/** The text of `.env.example`, out of the settings themselves. */
export function envExample(): string {
  const others = SETTING_NAMES.filter((name) => !NEEDED.includes(name) && !NOT_HERE.has(name));
  return `${[
    '# Settings of docker-compose.yml. Copy this file to .env, and fill in the first five.',
    '# Made by: npm run -s quizctl -- config example > .env.example',
    '',
    '# The password of the owner of the database, which Compose creates at its first start: letters and digits only,',
    '# since it becomes a part of an address. For example the output of: openssl rand -hex 24',
    'POSTGRES_PASSWORD=',
    '',
    '# The password of the role of the API and the worker, made in the same way.',
    'POSTGRES_SERVICE_PASSWORD=',
    '',
    '# The password of Redis, made in the same way.',
    'REDIS_PASSWORD=',
    '',
    ...NEEDED.flatMap((name) => [
      `# ${SETTINGS[name].about}`,
      `# Example: ${SETTINGS[name].example}`,
      `${name}=`,
      '',
    ]),
    '# All others are optional; what stands here is the default, or an example.',
    '',
    ...others.flatMap((name) => [
      `# ${SETTINGS[name].about}`,
      `#${name}=${defaultText(name) ?? SETTINGS[name].example}`,
      '',
    ]),
  ]
    .join('\n')
    .trimEnd()}\n`;
}
