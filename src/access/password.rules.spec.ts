import { passwordFault } from './password.rules';

const fault = (password: string) => passwordFault(password, 'ada.lovelace@example.com');

test.each([
  ['nine char', /at least 10/],
  ['x'.repeat(201), /at most 200/],
  ['aaaaaaaaaaaa', /first that are guessed/],
  ['Password123', /first that are guessed/],
  ['ADA.Lovelace@example.com', /differ from the e-mail/],
  ['with a \0 inside', /not text/],
])('%j is refused', (password, reason) => {
  expect(fault(password)).toMatch(reason);
});

test.each(['correct horse', 'zehn Zeichen!', '🎈🎉🎊🎁🎂🍰🧁🍬🍭🍫', 'x y z '.repeat(33)])(
  '%j is taken',
  (password) => {
    expect(fault(password)).toBeNull();
  },
);
