import { messagesIn } from '../../platform/messages/messages';
import { duration, guestName, isLastOpen, nextOpen, partlyCorrect, praise } from './player.rules';

const english = messagesIn('en');

const asked = (answered: boolean[]) => answered.map((is) => ({ given: is ? {} : null }));

test.each([
  [[false, false, false], 1, 2],
  [[true, true, false], 1, 3],
  [[false, true, true], 1, null],
  [[true, false, true], 3, null],
])('with the answered questions %j, the next open one after %i is %s', (answered, number, next) => {
  expect(nextOpen(asked(answered), number)).toBe(next);
});

test.each([
  [[true, true, false], 3, true],
  [[true, true, true], 3, true],
  [[false, true, false], 3, false],
  [[false], 1, true],
])(
  'with the answered questions %j, question %i is the last open one: %s',
  (answered, number, is) => {
    expect(isLastOpen(asked(answered), number)).toBe(is);
  },
);

test.each([
  [0, '0 s'],
  [59, '59 s'],
  [60, '1 min'],
  [84, '1 min 24 s'],
  [3600, '1 h'],
  [7_380, '2 h 3 min'],
])('a duration of %i seconds is shown as %s', (seconds, text) => {
  expect(duration(seconds, english)).toBe(text.replace(/(\d) /g, '$1\u00a0'));
});

test('only a full score gets the comment for all correct answers', () => {
  expect(praise(10, 10)).toBe('praise.all');
  for (const score of [0, 1, 5, 8, 9]) expect(praise(score, 10)).not.toBe(praise(10, 10));
});

test("a guest's generated name has two words and varies", () => {
  expect(guestName(english, () => 0)).toBe('Brave Badger');
  expect(guestName(english, (count) => count - 1)).toBe('Witty Wombat');
  expect(new Set(Array.from({ length: 50 }, () => guestName(english))).size).toBeGreaterThan(5);
});

test.each([
  [['a', 'b'], null],
  [['x'], null],
  [['a'], 'you chose 1 of 2 correct answers.'],
  [['a', 'x'], 'you chose 1 of 2 correct answers and 1 wrong one.'],
  [['a', 'b', 'x', 'y'], 'you chose 2 of 2 correct answers and 2 wrong ones.'],
])('the choices %j of the right ones a and b are explained by %j', (chosen, text) => {
  const said = partlyCorrect(chosen, ['a', 'b'], english);
  if (text === null) expect(said).toBeNull();
  else expect(said).toContain(text);
});
