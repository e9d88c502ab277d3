import { emailAddress, emailKey } from './email.rules';

it.each([
  ['ada@example.com', 'ada@example.com'],
  [' Ada.Lovelace+quiz@Example.com ', 'Ada.Lovelace+quiz@Example.com'],
  ["o'hara_1@mail.co-op.example", "o'hara_1@mail.co-op.example"],
  ['root@localhost', 'root@localhost'],
  ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
  ['ada@gооgle.example', 'ada@xn--ggle-55da.example'],
])('the e-mail address %j is stored as %j', (given, stored) => {
  expect(emailAddress(given)).toBe(stored);
});

it.each([
  '',
  'ada',
  '@example.com',
  'ada@',
  'a b@example.com',
  'ada@ex ample.com',
  'ada@@example.com',
  'admin\u200b@example.com',
  'admin@example.com\u202e',
  'admin@exa\u00admple.com',
  'adm\u0456n@example.com',
  '\uff41dmin@example.com',
  'admin@example\u3002com',
  'ada@-example.com',
  'ada@example..com',
  'ada@exa%6dple.com',
  'ada.@example.com',
  '<ada@example.com>',
  `${'a'.repeat(65)}@example.com`,
  `ada@${'a'.repeat(64)}.example`,
])('the e-mail address %j is refused', (given) => {
  expect(emailAddress(given)).toBeNull();
});

it('e-mail addresses are equal in any case and form of the domain', () => {
  expect(emailKey('ADA@BÜCHER.example')).toBe(emailKey('ada@xn--bcher-kva.EXAMPLE'));
});
