import { simulatePlayers } from '../../../test/support/simulated-players';
import type { Difficulty } from '../../catalog/vocabulary';
import {
  analyseItem,
  type ChoiceSums,
  chosenOf,
  flagsOf,
  type ItemSums,
  measuredDifficulty,
  versionOf,
} from './item-analysis.rules';

/** One attempt at a question: what was chosen, whether it is correct, and the score on the other questions. */
interface Answered {
  chosen: string;
  isCorrect: boolean;
  rest: number;
}

/** As results.queries.ts computes them. */
function sumsOf(answers: readonly Answered[]): { sums: ItemSums; choices: ChoiceSums[] } {
  const total = (of: (answer: Answered) => number) =>
    answers.reduce((sum, answer) => sum + of(answer), 0);
  const correct = total(({ isCorrect }) => Number(isCorrect));
  const best = answers.map(({ rest }) => rest).sort((a, b) => b - a);
  const choices = new Map<string, ChoiceSums>();
  for (const { chosen, isCorrect, rest } of answers) {
    const choice = choices.get(chosen) ?? { chosen, isCorrect, attempts: 0, rest: 0 };
    choices.set(chosen, { ...choice, attempts: choice.attempts + 1, rest: choice.rest + rest });
  }
  const sums = {
    attempts: answers.length,
    correct,
    rest: total(({ rest }) => rest),
    restSquares: total(({ rest }) => rest * rest),
    correctRest: total(({ isCorrect, rest }) => (isCorrect ? rest : 0)),
    bestCorrectRest: best.slice(0, correct).reduce((sum, rest) => sum + rest, 0),
  };
  return { sums, choices: [...choices.values()] };
}

/** Moodle's calculator (mod/quiz/report/statistics), step by step: marks, their differences from the means, sums. */
function moodle(marks: readonly { mark: number; other: number }[]) {
  const mean = (of: readonly number[]) => of.reduce((a, b) => a + b, 0) / of.length;
  const mark = marks.map((each) => each.mark);
  const other = marks.map((each) => each.other);
  const [markAverage, otherAverage] = [mean(mark), mean(other)];
  const [sortedMark, sortedOther] = [mark, other].map((all) => [...all].sort((a, b) => a - b)) as [
    number[],
    number[],
  ];
  let [variance, otherVariance, covariance, covarianceMax] = [0, 0, 0, 0];
  marks.forEach((each, index) => {
    const difference = each.mark - markAverage;
    const otherDifference = each.other - otherAverage;
    variance += difference ** 2 / (marks.length - 1);
    otherVariance += otherDifference ** 2 / (marks.length - 1);
    covariance += (difference * otherDifference) / (marks.length - 1);
    covarianceMax +=
      ((sortedMark[index]! - markAverage) * (sortedOther[index]! - otherAverage)) /
      (marks.length - 1);
  });
  return {
    facility: 100 * markAverage,
    standardDeviation: 100 * Math.sqrt(variance),
    discriminationIndex: (100 * covariance) / Math.sqrt(variance * otherVariance),
    discriminativeEfficiency: (100 * covariance) / covarianceMax,
  };
}

/** Quizzes of 20 questions. */
const simulate = (of: { seed: number; questions: number; players: number; wrongKeys: number }) =>
  simulatePlayers({
    seed: of.seed,
    quizzes: of.questions / 20,
    questions: 20,
    players: () => of.players,
    wrongKeys: of.wrongKeys,
  });

describe('item analysis', () => {
  it('the figures of simulated questions equal those of Moodle’s formulas to 1e-6', () => {
    for (const { answers } of simulate({ seed: 7, questions: 100, players: 60, wrongKeys: 4 })) {
      const { sums } = sumsOf(answers);
      if (sums.correct === 0 || sums.correct === sums.attempts) continue;
      const marks = answers.map(({ isCorrect, rest }) => ({
        mark: Number(isCorrect),
        other: rest,
      }));
      const found = analyseItem(sums);
      for (const [name, figure] of Object.entries(moodle(marks)))
        expect(Math.abs(found[name as keyof typeof found]! - figure)).toBeLessThan(1e-6);
    }
  });

  it('the figures of four attempts equal those worked out by hand', () => {
    // x = 1 1 0 0, X = 3 1 2 0: means 0.5 and 1.5; covariance 1/3, variances 1/3 and 5/3, largest covariance 2/3.
    const [chosen, other] = ['0', '1'];
    const { sums } = sumsOf([
      { chosen, isCorrect: true, rest: 3 },
      { chosen, isCorrect: true, rest: 1 },
      { chosen: other, isCorrect: false, rest: 2 },
      { chosen: other, isCorrect: false, rest: 0 },
    ]);
    const figures = analyseItem(sums);
    expect(figures.facility).toBe(50);
    expect(figures.standardDeviation).toBeCloseTo(57.735027, 6);
    expect(figures.discriminationIndex).toBeCloseTo(44.72136, 6);
    expect(figures.discriminativeEfficiency).toBeCloseTo(50, 6);
  });

  it('a question that everybody answers alike has a facility and no discrimination', () => {
    const { sums } = sumsOf([1, 2, 3].map((rest) => ({ chosen: '0', isCorrect: true, rest })));
    expect(analyseItem(sums)).toEqual({
      facility: 100,
      standardDeviation: 0,
      discriminationIndex: null,
      discriminativeEfficiency: null,
    });
  });

  it.each<[number, Difficulty]>([
    [100, 'EASY'],
    [75, 'EASY'],
    [74.9, 'MEDIUM'],
    [50, 'MEDIUM'],
    [25, 'HARD'],
    [24.9, 'EXPERT'],
  ])('a facility of %d %% measures %s', (facility, difficulty) => {
    expect(measuredDifficulty(facility)).toBe(difficulty);
  });
});

describe('flags', () => {
  const flagged = (answers: readonly Answered[], declared: Difficulty = 'MEDIUM') => {
    const { sums, choices } = sumsOf(answers);
    return flagsOf(declared, sums, choices);
  };
  const isDoubted = (answers: readonly Answered[]) =>
    flagged(answers).some(({ kind }) => kind === 'key');

  it.each([1, 2, 3])(
    'of 1,000 questions with 100 answers each, 2 %% of the keys wrong, the flag finds 95 %% and doubts at most 1 %% of the others (seed %d)',
    (seed) => {
      const all = simulate({ seed, questions: 1_000, players: 100, wrongKeys: 20 });
      const doubted = all.filter(({ answers }) => isDoubted(answers));
      const found = doubted.filter(({ isKeyWrong }) => isKeyWrong).length;
      expect(found / 20).toBeGreaterThanOrEqual(0.95);
      expect((doubted.length - found) / 980).toBeLessThanOrEqual(0.01);
    },
  );

  it('with the fewest attempts that are analysed, the flag doubts at most 1 % of the correct keys', () => {
    const all = [1, 2, 3].flatMap((seed) =>
      simulate({ seed, questions: 1_000, players: 30, wrongKeys: 0 }),
    );
    expect(all.filter(({ answers }) => isDoubted(answers)).length / all.length).toBeLessThan(0.01);
  });

  /** Of 40 players, the better half chooses one answer and the other half another one. */
  const halves = (isCorrect: boolean, chosen: [good: string, bad: string] = ['1', '0']) =>
    Array.from({ length: 40 }, (_, player): Answered => {
      const isGood = player >= 20;
      return { chosen: chosen[isGood ? 0 : 1], isCorrect: isGood === isCorrect, rest: player };
    });

  it('the flag for the key names the answers that good players choose', () => {
    expect(flagged(halves(false, ['0,2', '1']))).toEqual([{ kind: 'key', positions: [0, 2] }]);
    expect(flagged(halves(true))).toEqual([]);
  });

  it('fewer than 30 attempts are not flagged', () => {
    expect(flagged(halves(false).slice(6, 35))).toEqual([]);
  });

  it('a typed question that good players get wrong is flagged without an answer', () => {
    expect(flagged(halves(false, ['wrong', 'right']))).toEqual([
      { kind: 'discrimination', positions: [] },
    ]);
  });

  it('a declared difficulty two levels from the measured one is flagged', () => {
    expect(flagged(halves(true), 'EXPERT')).toEqual([{ kind: 'difficulty', positions: [] }]);
    expect(flagged(halves(true), 'HARD')).toEqual([]);
  });
});

describe('what is summed up', () => {
  const question = {
    id: 'q',
    type: 'MULTIPLE_CHOICE' as const,
    text: 'Which?',
    answers: [
      { id: 'a', text: 'A', isCorrect: true },
      { id: 'b', text: 'B', isCorrect: false },
      { id: 'c', text: 'C', isCorrect: true },
    ],
  };

  it('chosen answers are stored by their positions, typed ones as right or wrong', () => {
    const given = (answerIds: string[] | null, isCorrect = false) => ({ answerIds, isCorrect });
    expect(chosenOf(question, given(['c', 'a']))).toBe('0,2');
    expect(chosenOf(question, undefined)).toBe('');
    expect(chosenOf({ ...question, type: 'OPEN_ENDED' }, given(null, true))).toBe('right');
    expect(chosenOf({ ...question, type: 'OPEN_ENDED' }, given(null))).toBe('wrong');
  });

  it('an edit of the text, the type or an answer is another version, and one of the explanation or the key is not', () => {
    const [first, ...others] = question.answers;
    const version = versionOf(question);
    expect(version).toMatch(/^[0-9a-f]{32}$/);
    expect(versionOf({ ...question, explanation: 'Because.' } as typeof question)).toBe(version);
    expect(versionOf({ ...question, text: 'Which one?' })).not.toBe(version);
    const changed = (answer: object) => ({
      ...question,
      answers: [{ ...first!, ...answer }, ...others],
    });
    expect(versionOf(changed({ text: 'a' }))).not.toBe(version);
    expect(versionOf(changed({ isCorrect: false }))).toBe(version);
  });
});
