import type { QuestionType } from '../../catalog/vocabulary';
import { keyChangeOf, questionsRekeyedBy } from './key-change.rules';

describe('the questions that a change gives another key', () => {
  it('are those whose type or answers it sends, with their ids in lower case', () => {
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

describe('the questions with another key in a new version of a quiz', () => {
  type Version = Parameters<typeof keyChangeOf>[0];
  type Question = Version['questions'][number];
  const question = (
    id: string,
    correct: string,
    {
      type = 'MULTIPLE_CHOICE',
      texts = ['a', 'b'],
    }: { type?: QuestionType; texts?: string[] } = {},
  ): Question => ({
    id,
    type,
    answers: texts.map((text) => ({ id: text, text, isCorrect: text === correct })),
  });
  const rekeyed = (
    before: Question[],
    after: Question[],
    [was, is]: [boolean, boolean] = [false, false],
  ) => {
    const version = (questions: Question[], acceptTypos: boolean): Version => ({
      questions,
      acceptTypos,
    });
    return questionsRekeyedBy(keyChangeOf(version(before, was), version(after, is)));
  };

  it('are the questions whose correct answer changed, without new ones', () => {
    const before = [question('1', 'a'), question('2', 'a')];
    const after = [question('1', 'a'), question('2', 'b'), question('3', 'a')];
    expect(rekeyed(before, after)).toEqual(['2']);
  });

  it('are the questions whose type changed', () => {
    const before = [question('1', 'a'), question('2', 'a')];
    const after = [question('1', 'a'), question('2', 'a', { type: 'TRUE_FALSE' })];
    expect(rekeyed(before, after)).toEqual(['2']);
  });

  it('are not questions that were removed or moved', () => {
    const before = [question('1', 'a'), question('2', 'a'), question('3', 'b')];
    expect(rekeyed(before, [question('3', 'b'), question('1', 'a')])).toEqual([]);
  });

  it('are also questions whose answers were reordered, since the first of two that differ in case decides', () => {
    const texts = ['CO', 'Co'];
    const before = [question('1', 'CO', { type: 'OPEN_ENDED', texts })];
    const after = [question('1', 'CO', { type: 'OPEN_ENDED', texts: texts.toReversed() })];
    expect(rekeyed(before, after)).toEqual(['1']);
  });

  it('are only the open questions when typing errors become accepted', () => {
    const questions = [question('1', 'a'), question('2', 'a', { type: 'OPEN_ENDED' })];
    expect(rekeyed(questions, questions, [false, true])).toEqual(['2']);
    expect(rekeyed(questions, questions, [true, true])).toEqual([]);
  });
});
