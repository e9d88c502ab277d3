import { isExpired, isOver, secondsBetween, shuffledFor, timeSpentOf } from './attempt.rules';

const at = (text: string) => new Date(text);

it.each([
  ['2026-01-02T11:59:59.999Z', false],
  ['2026-01-02T12:00:00.000Z', true],
  ['2026-01-01T11:59:59.000Z', false],
])('an attempt started at noon has expired at %s: %s', (now, expired) => {
  const startedAt = at('2026-01-01T12:00:00Z');
  expect(isExpired({ startedAt, endsAt: null }, at(now))).toBe(expired);
});

it.each([
  ['2026-01-01T12:01:10.000Z', false, 60],
  ['2026-01-01T12:01:10.001Z', true, 60],
  ['2026-01-01T12:00:59.000Z', false, 59],
  ['2026-01-03T12:00:00.000Z', true, 60],
])('an attempt of a minute from noon is over at %s: %s, after %i s', (now, over, seconds) => {
  const attempt = { startedAt: at('2026-01-01T12:00:00Z'), endsAt: at('2026-01-01T12:01:00Z') };
  expect(isOver(attempt, at(now))).toBe(over);
  expect(timeSpentOf(attempt, at(now))).toBe(seconds);
  expect(isExpired(attempt, at(now))).toBe(false);
});

it.each([
  ['2026-01-01T12:00:00.999Z', 0],
  ['2026-01-01T12:00:01.000Z', 1],
  ['2026-01-01T12:01:30.500Z', 90],
  ['2026-01-01T11:59:59.000Z', 0],
])('the duration from noon to %s is %i whole seconds', (end, seconds) => {
  expect(secondsBetween(at('2026-01-01T12:00:00Z'), at(end))).toBe(seconds);
});

describe('the order of an attempt', () => {
  const items = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => ({ id }));
  const order = (attempt: string, list = items) =>
    shuffledFor(attempt, list)
      .map(({ id }) => id)
      .join('');

  it('the order of an attempt is stable and has every item once', () => {
    expect(order('one')).toBe(order('one'));
    expect([...order('one')].sort().join('')).toBe('abcdef');
  });

  it('the order of an attempt is independent of the stored order', () => {
    expect(order('one', [...items].reverse())).toBe(order('one'));
  });

  it('the order of an attempt puts each item first about equally often', () => {
    const first = new Map<string, number>();
    for (let attempt = 0; attempt < 600; attempt++) {
      const id = order(`attempt ${attempt}`).charAt(0);
      first.set(id, (first.get(id) ?? 0) + 1);
    }
    expect(Math.min(...items.map(({ id }) => first.get(id) ?? 0))).toBeGreaterThan(60);
  });
});
