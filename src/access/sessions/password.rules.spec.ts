import { dictionary } from '@zxcvbn-ts/language-common';
import { passwordError } from './password.rules';

const error = (password: string) => passwordError(password, 'ada.lovelace@example.com');

test.each([
  ['nine char', /at least 10/],
  ['x'.repeat(201), /at most 200/],
  ['aaaaaaaaaaaa', /lists that attackers try/],
  ['Password123', /lists that attackers try/],
  ['1q2w3e4r5t6y', /lists that attackers try/],
  ['manchester', /lists that attackers try/],
  ['Liverpool2026!', /lists that attackers try/],
  ['ADA.Lovelace@example.com', /differ from the e-mail/],
  ['with a \0 inside', /not text/],
])('the password %j is refused', (password, reason) => {
  expect(error(password)).toMatch(reason);
});

test.each([
  'correct horse',
  'manchester tram',
  'liverpool384729',
  'zehn Zeichen!',
  '🎈🎉🎊🎁🎂🍰🧁🍬🍭🍫',
  'x y z '.repeat(33),
])('the password %j is accepted', (password) => {
  expect(error(password)).toBeNull();
});

test('at least 10,000 common passwords are refused', () => {
  const common = Object.values(dictionary['passwords-common']).map(String);
  expect(common.length).toBeGreaterThan(10_000);
  const padded = common.filter((it) => it.length >= 5).map((it) => it.padEnd(10, '1'));
  const allowed = padded.filter((it) => error(it.toUpperCase()) === null);
  expect(allowed).toEqual([]);
});
