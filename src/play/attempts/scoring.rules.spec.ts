import { acceptedKey, answerKey } from './answer-text.rules';
import { isCorrectAnswer } from './attempt.rules';

const answers = (...texts: string[]) =>
  texts.map((text) => ({
    id: text.replace('*', ''),
    text: text.replace('*', ''),
    isCorrect: text.startsWith('*'),
  }));

test('an accepted text of U+FDFA only, 18 characters each when decomposed, is compared as it is', () => {
  const answers = [{ id: 'a', text: '\ufdfa'.repeat(1_000), isCorrect: true }];
  const given = { text: '\ufdfa'.repeat(1_000) };
  expect(isCorrectAnswer({ type: 'OPEN_ENDED', answers }, given)).toBe(true);
  expect(answerKey(given.text)).toBe(given.text);
});

describe('scoring MULTIPLE_CHOICE', () => {
  const question = { type: 'MULTIPLE_CHOICE' as const, answers: answers('*a', 'b', '*c', 'd') };

  it.each<[string, string[], boolean]>([
    ['all correct answers', ['a', 'c'], true],
    ['all correct answers in any order', ['c', 'a'], true],
    ['a correct answer given twice', ['a', 'c', 'a'], true],
    ['only some correct answers', ['a'], false],
    ['all correct answers and a wrong one', ['a', 'b', 'c'], false],
    ['a wrong answer', ['b'], false],
    ['every answer', ['a', 'b', 'c', 'd'], false],
    ['no answer', [], false],
    ['all correct answers and an unknown one', ['a', 'c', 'x'], false],
  ])('%s (%j) counts as correct: %s', (_, answerIds, right) => {
    expect(isCorrectAnswer(question, { answerIds })).toBe(right);
  });

  it('a MULTIPLE_CHOICE answer given as text is incorrect', () => {
    expect(isCorrectAnswer(question, { text: 'a' })).toBe(false);
  });
});

describe('scoring TRUE_FALSE', () => {
  const question = { type: 'TRUE_FALSE' as const, answers: answers('*true', 'false') };

  it.each<[string[], boolean]>([
    [['true'], true],
    [['false'], false],
    [['true', 'false'], false],
  ])('the choice of %j counts as correct: %s', (answerIds, right) => {
    expect(isCorrectAnswer(question, { answerIds })).toBe(right);
  });
});

describe('scoring OPEN_ENDED', () => {
  const question = {
    type: 'OPEN_ENDED' as const,
    answers: answers('*The Danube', '*Donau', 'Rhine', '*resume', 'résumé', '*C++'),
  };

  it.each<[string, string, boolean]>([
    ['an accepted answer', 'The Danube', true],
    ['another accepted answer', 'donau', true],
    [
      'an accepted answer in another case, with other spaces and punctuation',
      ' the  DANUBE! ',
      true,
    ],
    ['an accepted answer with another accent', 'Donaü', true],
    ['a listed wrong answer', 'rhine', false],
    ['a listed wrong answer that resembles a correct one', 'Résumé', false],
    ['the correct answer that resembles a wrong one', 'Resume', true],
    ['an answer without a meaningful character', 'c', false],
    ['another answer', 'Elbe', false],
    ['a part of an accepted answer', 'Danub', false],
  ])('%s (%j) counts as correct: %s', (_, text, right) => {
    expect(isCorrectAnswer(question, { text })).toBe(right);
  });

  it.each([
    ['10^-2', true],
    ['10^2', false],
  ])(
    'the typed answer %j is scored by its text, not by a key of an earlier rule',
    (text, right) => {
      // As earlier versions stored it: the key of 10².
      const key = acceptedKey('10²');
      const stored = { id: 'a', text: '10⁻²', isCorrect: true, key, key2: key };
      expect(isCorrectAnswer({ type: 'OPEN_ENDED', answers: [stored] }, { text })).toBe(right);
    },
  );

  it('an OPEN_ENDED answer given as an id is incorrect', () => {
    expect(isCorrectAnswer(question, { answerIds: ['Donau'] })).toBe(false);
  });
});
