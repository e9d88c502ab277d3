import { isVisitor, playerOf, shownName, tidyName } from './visitor.rules';

const QUIZ = '01990000-0000-7000-8000-000000000000';
const OTHER_QUIZ = '01990000-0000-7000-8000-000000000001';

describe('visitors without a key', () => {
  it('a visitor is the same player of one quiz under any name, and another player of another quiz', () => {
    const ada = playerOf('token', QUIZ, 'Ada');
    expect(ada).toMatch(/^web:[a-z2-7]{20}:Ada$/);
    expect(playerOf('token', QUIZ, 'Ada')).toBe(ada);
    expect(isVisitor(ada, 'token', QUIZ)).toBe(true);
    expect(isVisitor(playerOf('token', QUIZ, 'Grace'), 'token', QUIZ)).toBe(true);
    expect(isVisitor(ada, 'token', OTHER_QUIZ)).toBe(false);
    expect(isVisitor(ada, 'another token', QUIZ)).toBe(false);
    expect(isVisitor('Ada', 'token', QUIZ)).toBe(false);
  });

  it.each([
    [playerOf('token', QUIZ, 'Ada'), 'Ada'],
    [playerOf('token', QUIZ, 'web: a:b'), 'web: a:b'],
    ['user-17', 'user-17'],
    ['web:Ada', 'web:Ada'],
  ])('the player %j is shown as %j', (player, name) => {
    expect(shownName(player)).toBe(name);
  });

  it.each([
    ['  Ada   Lovelace ', 'Ada Lovelace'],
    ['Ada\r\nLovelace\0', 'Ada Lovelace'],
    ['\u202eecarg\u2066', 'ecarg'],
    ['👩‍🚀 Sally', '👩‍🚀 Sally'],
    ['\u200b \u2028', ''],
    ['\u0301', ''],
    ['\u0301 \u0489\u200b', ''],
    ['e\u0301', 'é'],
    ['\u0301 Ada', '\u0301 Ada'],
  ])("the visitor's name %j is stored as %j", (typed, name) => {
    expect(tidyName(typed)).toBe(name);
  });
});
