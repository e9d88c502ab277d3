import { answerKey } from './answer-text.rules';
import { isRight } from './scoring.rules';

const answers = (...texts: string[]) =>
  texts.map((text) => ({
    id: text.replace('*', ''),
    text: text.replace('*', ''),
    isCorrect: text.startsWith('*'),
  }));

test('an accepted text that is all U+FDFA, which is 18 characters each, is compared as it is', () => {
  const answers = [{ id: 'a', text: '\ufdfa'.repeat(1_000), isCorrect: true }];
  const given = { text: '\ufdfa'.repeat(1_000) };
  expect(isRight({ type: 'OPEN_ENDED', answers }, given)).toBe(true);
  expect(answerKey(given.text)).toBe(given.text);
});

describe('MULTIPLE_CHOICE', () => {
  const question = { type: 'MULTIPLE_CHOICE' as const, answers: answers('*a', 'b', '*c', 'd') };

  it.each<[string, string[], boolean]>([
    ['all right answers', ['a', 'c'], true],
    ['in any order', ['c', 'a'], true],
    ['one given twice', ['a', 'c', 'a'], true],
    ['only some of them', ['a'], false],
    ['all and a wrong one', ['a', 'b', 'c'], false],
    ['a wrong one', ['b'], false],
    ['every answer', ['a', 'b', 'c', 'd'], false],
    ['none', [], false],
    ['all and a stranger', ['a', 'c', 'x'], false],
  ])('%s', (_, answerIds, right) => {
    expect(isRight(question, { answerIds })).toBe(right);
  });

  it('is never right by text', () => {
    expect(isRight(question, { text: 'a' })).toBe(false);
  });
});

describe('TRUE_FALSE', () => {
  const question = { type: 'TRUE_FALSE' as const, answers: answers('*true', 'false') };

  it.each<[string[], boolean]>([
    [['true'], true],
    [['false'], false],
    [['true', 'false'], false],
  ])('%j: %s', (answerIds, right) => {
    expect(isRight(question, { answerIds })).toBe(right);
  });
});

describe('OPEN_ENDED', () => {
  const question = {
    type: 'OPEN_ENDED' as const,
    answers: answers('*The Danube', '*Donau', 'Rhine', '*resume', 'résumé', '*C++', 'C'),
  };

  it.each<[string, string, boolean]>([
    ['an accepted answer', 'The Danube', true],
    ['any of them', 'donau', true],
    ['in another case, with other spaces and punctuation', ' the  DANUBE! ', true],
    ['with an accent more', 'Donaü', true],
    ['a listed wrong answer', 'rhine', false],
    ['a listed wrong answer that is like a right one', 'Résumé', false],
    ['the right one of these', 'Resume', true],
    ['one that differs by what carries meaning', 'c', false],
    ['something else', 'Elbe', false],
    ['a part of it', 'Danub', false],
  ])('%s', (_, text, right) => {
    expect(isRight(question, { text })).toBe(right);
  });

  it('is never right by id', () => {
    expect(isRight(question, { answerIds: ['Donau'] })).toBe(false);
  });
});
