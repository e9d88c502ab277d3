import { type SimulatedQuestion, simulatePlayers } from '../../../test/support/simulated-players';
import { checkKey, type ChoiceCell } from './check-key.rules';

function cellsOf({ answers }: Pick<SimulatedQuestion, 'answers'>): ChoiceCell[] {
  const cells = new Map<string, ChoiceCell>();
  for (const { chosen, rest } of answers) {
    const cell = cells.get(`${chosen} ${rest}`) ?? { chosen, rest, attempts: 0 };
    cells.set(`${chosen} ${rest}`, { ...cell, attempts: cell.attempts + 1 });
  }
  return [...cells.values()];
}

const isDoubted = (question: SimulatedQuestion) =>
  checkKey(cellsOf(question), { ...question, answers: 4 }) !== null;
const shareOf = (questions: readonly SimulatedQuestion[]) =>
  questions.filter(isDoubted).length / questions.length;

/** Classes of 15 to 30 pupils, who answer 60 % of ten to twelve questions correctly. */
const classes = (more: object = {}) =>
  [10, 11, 12].flatMap((questions) =>
    simulatePlayers({
      seed: questions,
      quizzes: 200,
      questions,
      players: (random) => 15 + Math.floor(random() * 16),
      wrongKeys: 'each',
      difficulty: -0.5,
      ...more,
    }),
  );

describe('the check of a key', () => {
  it('in simulated classes of 15 to 30 with one wrong key finds 90 % of them, and the answer that is correct', () => {
    const wrong = classes().filter(({ isKeyWrong }) => isKeyWrong);
    const found = wrong.filter(
      (question) => checkKey(cellsOf(question), { ...question, answers: 4 })?.position === 0,
    );
    expect(found.length / wrong.length).toBeGreaterThanOrEqual(0.9);
  });

  it('doubts a key that nobody chose as much as one that somebody did', () => {
    const cells = Object.entries({ '2': 10, '3': 2, '2,3': 2, '0,2': 2 }).map(
      ([chosen, attempts]) => ({ chosen, attempts, rest: 0 }),
    );
    const key = { keyed: '0,1', answers: 4, others: 0 };
    const chosenOnce = [...cells, { chosen: '0,1', attempts: 1, rest: 0 }];
    expect(checkKey(chosenOnce, key)).toEqual({ position: 2, chosen: 10, keyed: 1 });
    expect(checkKey(cells, key)).toEqual({ position: 2, chosen: 10, keyed: 0 });
  });

  it('doubts at most 5 % of the sound questions of these classes, also of the hard ones', () => {
    const sound = classes().filter(({ isKeyWrong }) => !isKeyWrong);
    expect(shareOf(sound)).toBeLessThanOrEqual(0.01);
    // On average fewer than one pupil in five knows the answer.
    const hard = classes({ wrongKeys: 0, seed: 3 }).filter(({ difficulty }) => difficulty > 1);
    expect(hard.length).toBeGreaterThan(300);
    expect(shareOf(hard)).toBeLessThanOrEqual(0.05);
  });

  it.each([
    ['one wrong answer attracts 80 % of those who are wrong', { attraction: 0.8 }, 0.05],
    ['the questions hardly tell good players from others', { slope: 0.7 }, 0.05],
    ['all questions are hard', { difficulty: 0.7 }, 0.05],
    ['100 players have answered', { players: () => 100 }, 0.01],
    [
      '5 to 14 players have answered',
      { players: (r: () => number) => 5 + Math.floor(r() * 10) },
      0.05,
    ],
  ])('doubts few sound questions where %s', (_, more, most) => {
    expect(shareOf(classes({ wrongKeys: 0, ...more }))).toBeLessThanOrEqual(most);
  });

  it('finds 97 % of the wrong keys where 100 players have answered', () => {
    const wrong = classes({ players: () => 100 }).filter(({ isKeyWrong }) => isKeyWrong);
    expect(shareOf(wrong)).toBeGreaterThanOrEqual(0.97);
  });

  /** So many players with these choices; those who choose the first one are the best. */
  const players = (...choices: [chosen: string, players: number][]) =>
    choices.flatMap(([chosen, attempts], index) => ({ chosen, attempts, rest: 8 - 2 * index }));
  const of = { keyed: '1', answers: 4, others: 10 };

  it('says how many players chose which answer', () => {
    const cells = players(['0', 19], ['1', 4], ['2', 6]);
    expect(checkKey(cells, of)).toEqual({ position: 0, chosen: 19, keyed: 4 });
    expect(checkKey(cells, { ...of, keyed: '0' })).toBeNull();
  });

  it('needs five players with an answer', () => {
    expect(checkKey(players(['0', 5]), of)).toMatchObject({ chosen: 5, keyed: 0 });
    expect(checkKey(players(['0', 4], ['', 3]), of)).toBeNull();
    expect(checkKey([], of)).toBeNull();
  });

  it('of several correct answers names one that is not marked, and does not doubt a part of the key', () => {
    const several = { ...of, keyed: '0,1' };
    expect(checkKey(players(['0,2', 15], ['0,1', 3]), several)).toMatchObject({ position: 2 });
    expect(checkKey(players(['0', 15], ['0,1', 3]), several)).toBeNull();
  });

  it('the only question of a quiz can be doubted', () => {
    const cells = [
      { chosen: '0', rest: 0, attempts: 25 },
      { chosen: '1', rest: 0, attempts: 2 },
    ];
    expect(checkKey(cells, { ...of, others: 0 })).toMatchObject({ position: 0 });
  });

  it.each([
    ['above', '1', 0, 40],
    ['below', '0', 40, 0],
  ])('one player far %s a thousand others does not make a key doubtful', (_, chosen, most, one) => {
    const cells = [
      { chosen: '0', rest: most, attempts: 900 },
      { chosen: '1', rest: most, attempts: 100 },
      { chosen, rest: one, attempts: 1 },
    ];
    expect(checkKey(cells, { keyed: '0', answers: 4, others: 40 })).toBeNull();
  });
});

it('a question with 100,000 different choices, as an archive may have, is compared with each of them', () => {
  const last = 99_999;
  const cells = Array.from({ length: last + 1 }, (_, at) => ({
    chosen: [at % 60, at].join(),
    rest: at % 20,
    attempts: at === last ? 9 : 3,
  }));
  const doubted = checkKey(cells, { keyed: '0', answers: 60, others: 30 });
  expect(doubted).toEqual({ position: last % 60, chosen: 9, keyed: 0 });
});
