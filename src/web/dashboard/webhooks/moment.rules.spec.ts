import { momentOf } from './moment.rules';

test.each([
  ['2026-03-01T12:30', '2026-03-01T12:30:00.000Z'],
  ['2026-03-01 12:30:15', '2026-03-01T12:30:15.000Z'],
  [' 2026-03-01T12:30Z ', '2026-03-01T12:30:00.000Z'],
])('the typed time %j is read as %s', (typed, time) =>
  expect(momentOf(typed)?.toISOString()).toBe(time),
);

test.each([
  '',
  'yesterday',
  '2026-03-01',
  '2026-13-01T00:00',
  '2026-03-01T25:00',
  '2026-03-01T12:30+02:00',
])('the typed time %j is refused', (typed) => expect(momentOf(typed)).toBeNull());
