import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { settingsPage } from '../../../test/support/settings-page';
import { loadConfig, VERSION } from './config';
import { envExample, shownSettings } from './setting-texts';
import type { Setting } from './setting-types';
import { SETTINGS } from './settings';

describe('generated from the settings', () => {
  it.each([
    ['.env.example', envExample],
    ['docs/configuration.md', settingsPage],
  ])('%s matches the settings (else run `npm run settings`)', (name, generate) => {
    const file = join(__dirname, '../../..', name);
    if (process.env.WRITE_SETTINGS) writeFileSync(file, generate());
    expect(readFileSync(file, 'utf8')).toBe(generate());
  });
});

test('the README, the guides, Compose and .env.example name the image and the tag of this version', () => {
  const root = join(__dirname, '../../..');
  const files = ['README.md', '.env.example', 'docker-compose.production.yml']
    .concat(
      readdirSync(join(root, 'docs'), { recursive: true }).map((file) => `docs/${String(file)}`),
    )
    .filter((file) => !file.startsWith('docs/') || file.endsWith('.md'))
    .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));
  const named = files.flatMap(({ file, text }) =>
    [...text.matchAll(/quiz-question-service:([\w.]+)|--branch v([\w.]+)/g)].map(
      ([, image, tag]) => `${file} ${image ?? tag}`,
    ),
  );
  expect(named.filter((it) => !it.endsWith(` ${VERSION}`))).toEqual([]);
  expect(new Set(named.map((it) => it.split(' ')[0])).size).toBe(5);
  // Nobody can guess who published a release: each page says whose name it is.
  for (const { text } of files.filter((it) => it.text.includes('ghcr.io/')))
    expect(text).toMatch(/OWNER`? is the GitHub account that published/);
});

describe('shown settings', () => {
  const of = (env: Record<string, string>) =>
    Object.fromEntries(
      shownSettings(env).map(({ name, value, source }) => [name, [value, source]]),
    );

  it('shown settings name the source of each value', () => {
    expect(of({ PORT: '8080', LOG_LEVEL: ' ' })).toMatchObject({
      PORT: ['8080', 'environment'],
      LOG_LEVEL: ['info', 'default'],
      DATABASE_URL: [null, 'default'],
      WEBHOOK_RETRY_DELAYS: ['1m,10m,1h', 'default'],
      WEBHOOK_RETENTION: ['30d', 'default'],
    });
  });

  it('config print shows the derived value of a setting that depends on others', () => {
    expect(of({ PORT: '8080' })).toMatchObject({
      PUBLIC_URL: ['http://localhost:8080', 'derived'],
      SIGN_UP: ['on', 'derived'],
      UNLISTED_LINKS: ['on', 'derived'],
      KEY_ENVIRONMENT: ['test', 'derived'],
    });
    const ENCRYPTION_KEY = Buffer.alloc(32, 'key').toString('base64');
    const PUBLIC_URL = 'https://quiz.example.com';
    expect(of({ NODE_ENV: 'production', ENCRYPTION_KEY, PUBLIC_URL, SIGN_UP: 'on' })).toMatchObject(
      {
        SIGN_UP: ['on', 'environment'],
        UNLISTED_LINKS: ['off', 'derived'],
        KEY_ENVIRONMENT: ['live', 'derived'],
      },
    );
  });

  it('config print shows a derived value of every setting that has one while it is not set', () => {
    // The fields that a setting changes, and what they are without it: a text or a switch is derived, a list is empty.
    const isDerived = (name: string, example: string, NODE_ENV: string) => {
      const env = { NODE_ENV, REDIS_URL: 'redis://redis' };
      const [unset, set] = [env, { ...env, [name]: example }].map((it) =>
        loadConfig(it, 'migration'),
      );
      return Object.entries(unset!).some(
        ([field, value]) =>
          ['string', 'boolean', 'number'].includes(typeof value) &&
          !isDeepStrictEqual(value, set![field as keyof typeof set]),
      );
    };
    const derived = Object.entries<Setting<unknown>>(SETTINGS)
      .filter(
        ([name, { fallback }]) =>
          fallback === null && !['ENCRYPTION_KEY', 'REDIS_URL'].includes(name),
      )
      .filter(([name, { example }]) =>
        ['development', 'production'].some((environment) => isDerived(name, example, environment)),
      );
    expect(shownSettings({}).filter(({ source }) => source === 'derived')).toEqual(
      derived.map(([name]) => expect.objectContaining({ name })),
    );
  });

  it('a setting whose name or example tells of a secret says how it is shown', () => {
    const telling = Object.entries<Setting<unknown>>(SETTINGS).filter(
      ([name, { example }]) =>
        /SECRET|PASSWORD|TOKEN|_KEY$|_URLS?$/.test(name) || example.includes('secret'),
    );
    expect(telling.length).toBeGreaterThan(5);
    for (const [name, { read }] of telling)
      if (name !== 'PUBLIC_URL')
        expect([name, read.withoutSecrets]).toEqual([name, expect.any(Function)]);
  });

  it('a password that would be read as a port and a path is refused, not shown', () => {
    for (const [name, url] of [
      ['DATABASE_URL', 'postgres://quiz:1/hunter2@db/quiz'],
      ['REDIS_URL', 'redis://quiz:1/hunter2@redis'],
      ['SMTP_URL', 'smtps://quiz:1/hunter2@mail.example.com'],
    ] as const)
      expect(() => of({ [name]: url })).toThrow(
        `${name} must have a password of letters and digits`,
      );
  });

  it('shown settings hide secrets, also within URLs', () => {
    const secretKey = Buffer.alloc(32, 'hunter2').toString('base64');
    const shown = JSON.stringify(
      of({
        DATABASE_URL: 'postgres://quiz:hunter2@db/quiz?password=hunter2&sslmode=require',
        DATABASE_REPLICA_URLS: 'postgres://quiz:hunter2@a/quiz, postgres://quiz:hunter2@b/quiz',
        REDIS_URL: 'redis://:hunter2@redis:6379',
        SMTP_URL: 'smtps://quiz:hunter2@mail.example.com',
        ENCRYPTION_KEY: secretKey,
        METRICS_TOKEN: 'hunter2-hunter2-hunter2',
      }),
    );
    expect(shown).not.toContain('hunter2');
    expect(shown).not.toContain(secretKey);
    expect(shown).toContain('sslmode=require');
    expect(shown).toContain('quiz:hidden@db');
  });
});
