import { choices } from './choices';

export interface SimulatedQuestion {
  isKeyWrong: boolean;
  difficulty: number;
  /** How many other questions its quiz has. */
  others: number;
  /** By player: the position of the chosen one of four answers, and the score on the other questions. */
  answers: { chosen: string; isCorrect: boolean; rest: number }[];
  /** The position of the answer that is marked correct. */
  keyed: string;
}

/**
 * Players of normally distributed ability answer quizzes by a two-parameter logistic model. Those who do not know the
 * answer choose among three others, some of which are more attractive.
 */
export function simulatePlayers(of: {
  seed: number;
  quizzes: number;
  /** In each quiz. */
  questions: number;
  players: (random: () => number) => number;
  /** How many keys of all questions are wrong; `each`: one in every quiz. */
  wrongKeys: number | 'each';
  /** Mean of the difficulties, whose deviation is 1. */
  difficulty?: number;
  /** The share of the most attractive wrong answer among the wrong ones, beside that of two equal others. */
  attraction?: number;
  /** How strongly the ability decides (the discrimination of the model), on average. */
  slope?: number;
}): SimulatedQuestion[] {
  const { fraction: random } = choices(of.seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const all = of.quizzes * of.questions;
  const wrong = new Set<number>();
  if (of.wrongKeys === 'each')
    for (let quiz = 0; quiz < of.quizzes; quiz++)
      wrong.add(quiz * of.questions + Math.floor(random() * of.questions));
  else while (wrong.size < of.wrongKeys) wrong.add(Math.floor(random() * all));
  return Array.from({ length: of.quizzes }, (_, quiz) => {
    const items = Array.from({ length: of.questions }, (_, index) => ({
      slope: (of.slope ?? 1.7) * Math.exp(0.3 * normal()),
      difficulty: (of.difficulty ?? 0) + normal(),
      attraction:
        of.attraction === undefined
          ? [0.2 + random(), 0.2 + random(), 0.2 + random()]
          : [of.attraction, (1 - of.attraction) / 2, (1 - of.attraction) / 2],
      // The answer 0 is the true one.
      key: wrong.has(of.questions * quiz + index) ? 1 + Math.floor(random() * 3) : 0,
    }));
    const attempts = Array.from({ length: of.players(random) }, () => {
      const ability = normal();
      const chosen = items.map(({ slope, difficulty, attraction }) => {
        if (random() < 1 / (1 + Math.exp(-slope * (ability - difficulty)))) return 0;
        let left = random() * attraction.reduce((a, b) => a + b, 0);
        return 1 + attraction.findIndex((part) => (left -= part) <= 0);
      });
      return { chosen, score: chosen.filter((each, index) => each === items[index]?.key).length };
    });
    return items.map(({ key, difficulty }, index) => ({
      isKeyWrong: key !== 0,
      difficulty,
      others: of.questions - 1,
      answers: attempts.map(({ chosen, score }) => {
        const isCorrect = chosen[index] === key;
        return { chosen: String(chosen[index]), isCorrect, rest: score - Number(isCorrect) };
      }),
      keyed: String(key),
    }));
  }).flat();
}
