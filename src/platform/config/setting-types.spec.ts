import * as read from './setting-types';

const refused = (reader: read.Reader<unknown>, value: string) =>
  expect(() => reader(value)).toThrow(read.SettingError);

describe('integer', () => {
  const reader = read.integer(1, 100);
  it.each([
    ['1', 1],
    ['100', 100],
    ['007', 7],
  ])('a setting accepts %s', (value, number) => expect(reader(value)).toBe(number));
  it.each(['0', '101', '-1', '1.5', '1e2', '0x10', '', ' 5', '٣', '1'.repeat(16)])(
    'a setting refuses %j',
    (value) => refused(reader, value),
  );
});

describe('oneOf and flag', () => {
  it('oneOf and flag accept only the exact words', () => {
    expect(read.oneOf('live', 'test')('live')).toBe('live');
    refused(read.oneOf('live', 'test'), 'Live');
    expect(read.flag('true')).toBe(true);
    expect(read.flag('false')).toBe(false);
    for (const value of ['1', 'yes', 'TRUE', 'on']) refused(read.flag, value);
  });
});

describe('url', () => {
  const reader = read.url('postgres', 'postgresql');
  it('a URL setting is kept without trailing slashes', () => {
    expect(reader('postgres://a:b@db:5432/quiz')).toBe('postgres://a:b@db:5432/quiz');
    expect(read.url('https')('https://quiz.example.com//')).toBe('https://quiz.example.com');
  });
  it.each([
    'db:5432/quiz',
    'mysql://db/quiz',
    'postgres:///quiz',
    'postgres:quiz',
    'postgres://u:p#w@db/quiz',
    'javascript://x',
  ])('the reader of a setting refuses %s', (value) => refused(reader, value));
  it('the error of a URL setting does not repeat its value, which may contain a password', () => {
    expect(() => reader('http://u:hunter2@db')).toThrow(/^(?!.*hunter2).*postgres:\/\/ or/);
  });
});

describe('serverUrl', () => {
  const reader = read.serverUrl('postgres');
  it.each([
    'postgres://db/quiz',
    'postgres://quiz@db:5432/quiz?sslmode=require',
    'postgres://quiz:a%2Fb%40c@db/quiz',
  ])('the reader of a server URL accepts %s', (value) => expect(reader(value)).toBe(value));
  it.each(['a/b', '1/2', 'a@b', 'a?b', '1#b', 'a%b', 'a/b@c', 'a@b/c'])(
    'a server URL with the unencoded password %s is refused with an instruction and without the password',
    (password) =>
      expect(() => reader(`postgres://quiz:${password}@postgres:5432/quiz`)).toThrow(
        'must have a password of letters and digits; percent-encode other characters (/ as %2F, @ as %40)',
      ),
  );
  it.each([
    'http://u:hunter2@db',
    'hunter2:5432',
    'postgres:///quiz?host=/hunter2',
    'a+b://hunter2',
  ])('the server URL %s is refused for its scheme or its missing host', (value) =>
    expect(() => reader(value)).toThrow(
      /^must be a URL that begins with postgres:\/\/ and names a host$/,
    ),
  );
});

describe('redisUrl', () => {
  it.each(['redis://cache', 'rediss://:secret@cache:6380/', 'redis://[::1]:6379/15'])(
    'the URL of Redis %s is accepted',
    (value) => expect(read.redisUrl(value)).toBe(value.replace(/\/$/, '')),
  );
  it.each(['redis://cache/quiz', 'redis://cache/1/2', 'redis://cache/-1'])(
    'the URL of Redis %s is refused, as it ends with no number of a database',
    (value) => expect(() => read.redisUrl(value)).toThrow('the number of a database, such as /1'),
  );
  it('the URL of Redis is shown without its password', () =>
    expect(read.redisUrl.withoutSecrets?.('redis://:hunter2@cache')).toBe('redis://:hidden@cache'));
});

describe('sender', () => {
  it.each([
    'quiz@example.com',
    'Quizzes <quiz@example.com>',
    '"Quizzes, Inc." <quiz@localhost>',
    '<größe@bücher.example>',
  ])('the sender of e-mails %s is accepted', (value) => expect(read.sender(value)).toBe(value));
  it.each([
    'Quizzes',
    'Quizzes quiz@example.com',
    'Quizzes <quiz>',
    'Quizzes <quiz@example.com',
    'a@example.com, b@example.com',
    'Quizzes\nBcc: x <quiz@example.com>',
  ])('the sender of e-mails %j is refused, as it is no address', (value) =>
    expect(() => read.sender(value)).toThrow('must be an e-mail address'),
  );
});

describe('mailServerUrl', () => {
  const reader = read.mailServerUrl('smtp', 'smtps');
  it.each([
    ['smtp://mail.example.com:25', 'smtp://mail.example.com:25'],
    ['smtps://quiz:a%2Fb@mail.example.com', 'smtps://quiz:a%2Fb@mail.example.com'],
    [
      'smtps://me@example.com:pass@mail.example.com',
      'smtps://me%40example.com:pass@mail.example.com',
    ],
    ['smtp://me@example.com@mail.example.com', 'smtp://me%40example.com@mail.example.com'],
  ])('the URL of a mail server %s is read as %s', (value, url) => expect(reader(value)).toBe(url));
  it.each(['quiz:1/2', 'quiz:50%off', 'quiz:a@b', 'me@example.com:1/2'])(
    'the URL of a mail server with the unencoded user and password %s is refused',
    (user) => refused(reader, `smtps://${user}@mail.example.com`),
  );
});

describe('publicUrl', () => {
  it('publicUrl accepts a public URL', () => {
    expect(read.publicUrl('https://quiz.example.com/')).toBe('https://quiz.example.com');
    expect(read.publicUrl('http://localhost:3000')).toBe('http://localhost:3000');
  });
  it.each([
    ['HTTPS://Quiz.example.com', 'https://quiz.example.com'],
    ['https://quiz.example.com?', 'https://quiz.example.com'],
    ['https://quiz.example.com/school/#', 'https://quiz.example.com/school'],
  ])('publicUrl writes %s as browsers do', (value, written) => {
    expect(read.publicUrl(value)).toBe(written);
  });
  it.each([
    'quiz.example.com',
    'ftp://quiz.example.com',
    'https://me:secret@quiz.example.com',
    'https://quiz.example.com?a=b',
    'https://quiz.example.com/#a',
  ])('the reader of a setting refuses %s', (value) => refused(read.publicUrl, value));
});

describe('durations', () => {
  it.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['10m', 600_000],
    ['1h', 3_600_000],
    ['30d', 2_592_000_000],
    ['365d', 31_536_000_000],
  ])('a setting accepts %s', (value, ms) => expect(read.duration('365d')(value)).toBe(ms));
  it.each(['0s', '30', '-1s', '1.5s', '1 s', '1w', '366d', '999999999d', ''])(
    'a setting refuses %j',
    (value) => refused(read.duration('365d'), value),
  );
  it("a duration for a timer stays below the timer's maximum", () => {
    expect(read.duration('1h')('60m')).toBe(3_600_000);
    refused(read.duration('1h'), '61m');
  });
  it('a duration setting can be a list', () => {
    expect(read.durations('1m, 10m,1h')).toEqual([60_000, 600_000, 3_600_000]);
    refused(read.durations, '1m,,1h');
  });
});

describe('key32', () => {
  const bytes = Buffer.from(Array.from({ length: 32 }, (_, index) => index * 8));
  it('a key setting accepts base64, base64url and hexadecimal digits', () => {
    for (const form of ['base64', 'base64url', 'hex'] as const)
      expect(read.key32(bytes.toString(form))).toEqual(bytes);
  });
  it.each([
    'password',
    'a'.repeat(42),
    'a'.repeat(45),
    `${'a'.repeat(20)} ${'a'.repeat(22)}`,
    '!'.repeat(43),
    'g'.repeat(64),
    'a'.repeat(63),
  ])('the reader of a setting refuses %s', (value) => refused(read.key32, value));
});

describe('trustedProxies', () => {
  it('TRUST_PROXY accepts a number of hops', () => {
    expect(read.trustedProxies('0')).toBe(0);
    expect(read.trustedProxies('2')).toBe(2);
  });
  it('TRUST_PROXY accepts addresses and networks', () => {
    expect(
      read.trustedProxies(
        'loopback, 10.0.0.0/8 ,192.168.1.1,fd00::/8,2001:db8::/32,::ffff:10.0.0.0/104,::1',
      ),
    ).toEqual([
      'loopback',
      '10.0.0.0/8',
      '192.168.1.1',
      'fd00::/8',
      '2001:db8::/32',
      '::ffff:10.0.0.0/104',
      '::1',
    ]);
  });
  it.each([
    'true',
    'false',
    'all',
    '-1',
    '11',
    '99',
    '100',
    '*',
    '0.0.0.0/1,128.0.0.0/1',
    '10.0.0.0/7',
    '2000::/3',
    '::ffff:0:0/96',
    '::ffff:10.0.0.0/103',
    '10.0.0.0/33',
    '10.0.0.0/0',
    '::/0',
    'fd00::/129',
    '10.0.0',
    '1.2.3.4.5',
    '10.0.0.1,',
    'proxy.example.com',
    'fe80::1%eth0',
  ])('the reader of a setting refuses %s', (value) => refused(read.trustedProxies, value));
});
