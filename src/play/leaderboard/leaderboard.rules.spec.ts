import { compareRanked, type Ranked, reachesTop } from './leaderboard.rules';

const entry = (score: number, time: number, second = 0, id = 'a'): Ranked => ({
  score,
  timeSpent: time,
  reachedAt: new Date(1_000 * second),
  attemptId: id,
});

it('the leaderboard ranks by score, then duration, then time of submission, then id', () => {
  const ranked = [
    entry(3, 50),
    entry(2, 10, 5),
    entry(2, 20, 1),
    entry(2, 20, 2, 'a'),
    entry(2, 20, 2, 'b'),
    entry(0, 0),
  ];
  expect([...ranked].reverse().sort(compareRanked)).toEqual(ranked);
});

describe('the first ten', () => {
  const nine = Array.from({ length: 9 }, (_, index) => entry(9, index));

  it('a leaderboard with fewer than ten entries takes any player', () => {
    expect(reachesTop([], entry(0, 999))).toBe(true);
    expect(reachesTop(nine, entry(0, 999))).toBe(true);
  });

  it('a full leaderboard takes only a result better than its last', () => {
    const top = [...nine, entry(5, 30, 10)];
    expect(reachesTop(top, entry(6, 99, 11))).toBe(true);
    expect(reachesTop(top, entry(5, 29, 11))).toBe(true);
    expect(reachesTop(top, entry(5, 30, 9))).toBe(true);
    expect(reachesTop(top, entry(5, 30, 11))).toBe(false);
    expect(reachesTop(top, entry(5, 31, 9))).toBe(false);
    expect(reachesTop(top, entry(4, 0, 0))).toBe(false);
  });
});
