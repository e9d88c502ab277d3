import { withPresentKey } from './regrade.rules';

const answers = (correct: string, ...texts: string[]) =>
  texts.map((text) => ({ id: text, text, isCorrect: correct.includes(text) }));
const question = (correct: string, type: 'MULTIPLE_CHOICE' | 'TRUE_FALSE' | 'OPEN_ENDED') => ({
  id: 'q',
  text: 'Which?',
  type,
  answers: answers(correct, 'a', 'b', 'c'),
});
const choice = question('a', 'MULTIPLE_CHOICE');

describe('the present key of a question that was played', () => {
  it('replaces the key of those answers that players saw, in their order', () => {
    const present = { ...choice, answers: answers('b', 'c', 'b', 'd') };
    expect(withPresentKey(choice, present)).toEqual({
      ...choice,
      answers: answers('b', 'a', 'b', 'c'),
    });
  });

  it.each([
    ['it is the same', choice],
    ['another text is the correct one', { ...choice, answers: answers('d', 'a', 'b', 'd') }],
    ['several are correct where one could be chosen', question('ab', 'MULTIPLE_CHOICE')],
    ['the type has changed', question('b', 'OPEN_ENDED')],
  ])('leaves the question as it was if %s', (_, present) => {
    expect(withPresentKey(choice, present)).toBe(choice);
  });

  it('of several correct answers may become one, and other ones', () => {
    const several = question('ab', 'MULTIPLE_CHOICE');
    expect(withPresentKey(several, choice)).toEqual(choice);
    const other = question('bc', 'MULTIPLE_CHOICE');
    expect(withPresentKey(several, other)).toEqual(other);
  });

  it('accepts the texts that are accepted now', () => {
    const open = question('a', 'OPEN_ENDED');
    const present = { ...open, answers: answers('ad', 'a', 'd') };
    expect(withPresentKey(open, present).answers).toEqual(answers('ad', 'a', 'd'));
  });
});
