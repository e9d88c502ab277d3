import type { QuestionType } from '../../catalog/vocabulary';
import { keyChangeOf, questionsRekeyedBy } from './key-change.rules';

describe('the questions that a change gives another key', () => {
  it('are those whose type or answers it sends', () => {
    const questions = [
      { id: 'A', answers: [] },
      { id: 'b', type: 'TRUE_FALSE' },
      { id: 'c', text: 'Which?' },
    ];
    expect(questionsRekeyedBy({ questions })).toEqual(['a', 'b']);
    expect(questionsRekeyedBy({ questions: [] })).toEqual([]);
  });

  it('may be any of the quiz if it sets whether typing errors are accepted', () => {
    expect(questionsRekeyedBy({ acceptTypos: false, questions: [] })).toBeNull();
  });
});

describe('the key change between two versions of a quiz', () => {
  const question = (id: string, correct: string, type: QuestionType = 'MULTIPLE_CHOICE') => ({
    id,
    type,
    answers: ['a', 'b'].map((text) => ({ id: text, text, isCorrect: text === correct })),
  });
  const rekeyed = (before: object[], after: object[], [was, is] = [false, false]) => {
    const version = (questions: object[], acceptTypos: boolean) =>
      ({ questions, acceptTypos }) as Parameters<typeof keyChangeOf>[0];
    return questionsRekeyedBy(keyChangeOf(version(before, was), version(after, is)));
  };

  it('is of the questions with another correct answer, and not of new ones', () => {
    const before = [question('1', 'a'), question('2', 'a')];
    const after = [question('1', 'a'), question('2', 'b'), question('3', 'a')];
    expect(rekeyed(before, after)).toEqual(['2']);
  });

  it('is of open questions alone if typing errors are accepted from now on', () => {
    const questions = [question('1', 'a'), question('2', 'a', 'OPEN_ENDED')];
    expect(rekeyed(questions, questions, [false, true])).toEqual(['2']);
    expect(rekeyed(questions, questions, [true, true])).toEqual([]);
  });
});
