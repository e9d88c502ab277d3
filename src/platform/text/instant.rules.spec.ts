import { instantOf, timeOf } from './instant.rules';

test.each([
  ['2026-03-01T12:30:00Z', '2026-03-01T12:30:00.000Z'],
  ['2026-03-01T00:30+02:00', '2026-02-28T22:30:00.000Z'],
  ['2028-02-29T12:30Z', '2028-02-29T12:30:00.000Z'],
  ['2026-03-01', '2026-03-01T00:00:00.000Z'],
  ['2026-12-31T24:00:00Z', '2027-01-01T00:00:00.000Z'],
])('the instant of %s is %s', (text, instant) =>
  expect(instantOf(text)?.toISOString()).toBe(instant),
);

test.each([
  '2026-02-29T12:30Z',
  '2026-02-31T12:30Z',
  '2026-04-31T00:00+02:00',
  '2026-13-01T00:00Z',
])('%s is no instant: its day does not exist', (text) => expect(instantOf(text)).toBeNull());

test.each([
  ...['', '1', '2026', '2026-2-3', '2026-02-03 10:00', '2026-02-03t10:00:00z', '2026-02-03T10:00'],
  ...['3 Feb 2026', ' 2026-02-03', '2026-02-03T10:00Z\n', '+002026-02-03', '2026-02-03T10:00+0200'],
])('%j is no instant: it is written in another way', (text) => expect(instantOf(text)).toBeNull());

test.each(['2026-03-01T24:00:01Z', '2026-03-01T25:00Z', '2026-03-01T12:60Z'])(
  '%s is no instant: its day has no such time',
  (text) => expect(instantOf(text)).toBeNull(),
);

test('a time is an instant, and a day without a time is none', () => {
  expect(timeOf('2026-03-01T00:30+02:00')).toEqual(new Date('2026-02-28T22:30:00Z'));
  expect(timeOf('2026-02-29T12:30Z')).toBeNull();
  expect(timeOf('2026-03-01')).toBeNull();
});
