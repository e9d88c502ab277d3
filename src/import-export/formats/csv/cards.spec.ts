import { LIMITS } from '../../../platform/limits/limits';
import { CardSurvey } from './cards';

const { cards, cardAnswers } = LIMITS.imports;

test('an answer that comes again after 100,000 cards is a wrong one of no other card', () => {
  const survey = new CardSurvey('choice');
  for (let card = 0; card < cards.value; card += 1)
    survey.add({ term: `term ${card}`, answer: `answer ${card % 4}` });
  const wrong = () => survey.wrongFor({ term: 'another', answer: 'answer 1' }).sort();
  expect(wrong()).toEqual(['answer 0', 'answer 2', 'answer 3']);
  survey.add({ term: 'late', answer: 'answer 0' });
  expect(wrong()).toEqual(['answer 2', 'answer 3']);
});

test('wrong answers are taken from the first 2,000 answers of a file of flash cards', () => {
  const survey = new CardSurvey('choice');
  const all = Array.from({ length: 2 * cardAnswers.value }, (_, card) => ({
    term: `term ${card}`,
    answer: `answer ${card}`,
  }));
  for (const card of all) survey.add(card);
  const first = new Set(all.slice(0, cardAnswers.value).map(({ answer }) => answer));
  const wrong = all.flatMap((card) => survey.wrongFor(card));
  expect(wrong).toHaveLength(3 * all.length);
  expect(wrong.filter((answer) => !first.has(answer))).toEqual([]);
});
