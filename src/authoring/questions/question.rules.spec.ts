import fc from 'fast-check';
import type { StoredAnswer } from '../../catalog/vocabulary';
import {
  answerCountError,
  correctAnswersError,
  fingerprint,
  keepAnswerIds,
  repeatedAnswer,
} from './question.rules';

const answers = (...texts: string[]) =>
  texts.map((text) => ({ text: text.replace('*', ''), isCorrect: text.startsWith('*') }));

describe('the number of answers', () => {
  test.each([
    ['MULTIPLE_CHOICE', 2],
    ['MULTIPLE_CHOICE', 60],
    ['OPEN_ENDED', 1],
    ['OPEN_ENDED', 5],
    ['TRUE_FALSE', 2],
  ] as const)('a %s question with %i answers is accepted', (type, count) => {
    expect(answerCountError(type, Array(count).fill(null))).toBeNull();
  });

  test.each([
    ['MULTIPLE_CHOICE', 0],
    ['MULTIPLE_CHOICE', 1],
    ['OPEN_ENDED', 0],
    ['TRUE_FALSE', 1],
    ['TRUE_FALSE', 3],
  ] as const)('a %s question with %i answers is refused', (type, count) => {
    expect(answerCountError(type, Array(count).fill(null))).toMatch(
      new RegExp(`, and has ${count}$`),
    );
  });
});

test('an OPEN_ENDED question of a batch with one answer is refused', () => {
  expect(answerCountError('OPEN_ENDED', [null], 2)).toBe('needs at least 2 answers, and has 1');
  expect(answerCountError('OPEN_ENDED', [null, null], 2)).toBeNull();
});

describe('the correct answers', () => {
  test('a MULTIPLE_CHOICE or OPEN_ENDED question without a correct answer is refused', () => {
    for (const type of ['MULTIPLE_CHOICE', 'OPEN_ENDED'] as const) {
      expect(correctAnswersError(type, answers('a', 'b'))).toMatch(/at least one/);
      expect(correctAnswersError(type, answers('*a', 'b'))).toBeNull();
      expect(correctAnswersError(type, answers('*a', '*b'))).toBeNull();
    }
  });

  test('TRUE_FALSE needs exactly one correct answer', () => {
    expect(correctAnswersError('TRUE_FALSE', answers('a', 'b'))).toMatch(/exactly one .* has 0$/);
    expect(correctAnswersError('TRUE_FALSE', answers('a', '*b'))).toBeNull();
    expect(correctAnswersError('TRUE_FALSE', answers('*a', '*b'))).toMatch(/exactly one .* has 2$/);
  });
});

test.each([
  [['a', 'b', 'c'], null],
  [['a', 'b', 'a'], 'a'],
  [['CO', 'Co'], null],
  [['Wien', ' Wien '], ' Wien '],
  [['\u00e9', 'e\u0301'], 'e\u0301'],
  [['a b', 'a  b'], null],
])('of the answers %j the first repeated one is %j', (texts, repeated) => {
  expect(repeatedAnswer(answers(...texts))).toBe(repeated);
});

describe('the fingerprint of a question', () => {
  const question = (text: string, ...texts: string[]) =>
    fingerprint({ text, type: 'MULTIPLE_CHOICE', answers: answers(...texts) });
  const one = question('Which river?', '*Danube', 'Rhine');

  test('the fingerprint of a question ignores order, case and spacing', () => {
    expect(question(' which  RIVER? ', 'rhine', '*DANUBE ')).toBe(one);
    fc.assert(
      fc.property(fc.shuffledSubarray(['*a', 'b', 'c', 'd'], { minLength: 4 }), (shuffled) => {
        expect(question('Q?', ...shuffled)).toBe(question('Q?', '*a', 'b', 'c', 'd'));
      }),
    );
  });

  test('the fingerprint of a question changes with its text, answers, correct answers or type', () => {
    const others = [
      question('Which river', '*Danube', 'Rhine'),
      question('Which river?', '*Danube', 'Elbe'),
      question('Which river?', 'Danube', '*Rhine'),
      question('Which river?', '*Danube', 'Rhine', 'Elbe'),
      fingerprint({
        text: 'Which river?',
        type: 'OPEN_ENDED',
        answers: answers('*Danube', 'Rhine'),
      }),
    ];
    expect(new Set([one, ...others]).size).toBe(6);
  });

  test('the fingerprint of a question has 128 bits', () => {
    expect(one).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe('the ids of edited answers', () => {
  const before = [
    { id: '1', text: 'The Danube', isCorrect: true },
    { id: '2', text: 'The Rhine', isCorrect: false },
  ];
  const right = (text: string) => ({ text, isCorrect: true });
  const wrong = (text: string) => ({ text, isCorrect: false });
  const keep = (stored: StoredAnswer[], ...edited: Omit<StoredAnswer, 'id'>[]) =>
    keepAnswerIds(
      stored,
      edited.map((answer, index) => ({ ...answer, id: `n${index + 1}` })),
    );

  test('an answer keeps its id when its position, case or correctness changes', () => {
    expect(keep(before, right('the rhine'), wrong('The Danube'))).toEqual([
      { id: '2', text: 'the rhine', isCorrect: true },
      { id: '1', text: 'The Danube', isCorrect: false },
    ]);
  });

  test('answers that differ only in case keep their own ids, in any order', () => {
    const cased = [
      { id: '1', text: 'CO', isCorrect: true },
      { id: '2', text: 'Co', isCorrect: false },
    ];
    const ids = (...texts: string[]) => keep(cased, ...texts.map(right)).map(({ id }) => id);
    expect(ids('Co', 'CO')).toEqual(['2', '1']);
    expect(ids('co', 'CO', 'Co')).toEqual(['n1', '1', '2']);
    expect(ids('CO', 'co')).toEqual(['1', '2']);
    expect(new Set(ids('co', 'cO', 'CO')).size).toBe(3);
  });

  test('an answer with another text gets a new id', () => {
    const edited = keep(before, right('The Danube'), wrong('The Elbe'));
    expect(edited.map(({ id }) => id)).toEqual(['1', 'n2']);
  });
});
