import { misspelledSettings, SETTINGS } from './settings';

test.each([
  ['PROT', 'PORT'],
  ['WEBHOOK_TIMEOUTS', 'WEBHOOK_TIMEOUT'],
  ['WEBHOK_TIMEOUT', 'WEBHOOK_TIMEOUT'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['DATABASEURL', 'DATABASE_URL'],
  ['REIDS_URL', 'REDIS_URL'],
  ['XLOG_LEVEL', 'LOG_LEVEL'],
])('the unknown setting %s is reported as probably %s', (given, meant) => {
  expect(misspelledSettings({ [given]: 'x' })).toEqual([
    `${given} is not a setting and does nothing: did you mean ${meant}?`,
  ]);
});

test('a misspelling is reported only when the real setting is unset or empty', () => {
  expect(misspelledSettings({ PORT: '3000', PROT: '3001' })).toEqual([]);
  expect(misspelledSettings({ PORT_FILE: '/run/port', PROT: '3001' })).toEqual([]);
  expect(misspelledSettings({ PORT: ' ', PROT: '3001' })).toHaveLength(1);
});

test('other settings and variables of other programs are not reported as misspellings', () => {
  const OTHERS = [
    'PATH',
    'HOME',
    'HOST',
    'POST',
    'SORT',
    'PORTS',
    'TERM',
    'USER',
    'SHELL',
    'LANG',
    'HOSTNAME',
    'METRICS_HOST',
    'REDIS_PORT',
    'REDIS_TLS_URL',
    'DATABASE_HOST',
    'XDG_DATA_DIRS',
    'PUBLIC_KEY',
    'NODE_OPTIONS',
    'NODE_PATH',
    'npm_config_port',
    'DATABASE_URL_REPLICA',
    'LOG_LEVEL_SQL',
    '',
  ];
  for (const name of [...Object.keys(SETTINGS), ...OTHERS])
    expect(misspelledSettings({ [name]: 'x' })).toEqual([]);
});
