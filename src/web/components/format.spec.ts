import { h } from 'preact';
import { render } from 'preact-render-to-string';
import { Clip, fullTime, momentOf, parametersOf, relativeTime } from './format';

const now = new Date('2026-03-01T12:00:00Z');
const before = (seconds: number) => new Date(now.getTime() - seconds * 1_000);

test.each([
  [0, 'just now'],
  [59, 'just now'],
  [60, '1 minute ago'],
  [3_599, '59 minutes ago'],
  [86_399, '23 hours ago'],
  [8 * 86_400, '8 days ago'],
  [400 * 86_400, '1 year ago'],
  [120 * 86_400, '4 months ago'],
  [-30, 'in 1 minute'],
  [-3_599, 'in 1 hour'],
  [-7 * 86_400 + 2, 'in 7 days'],
  [-90 * 86_400 + 2, 'in 90 days'],
])('a time %d seconds ago is shown as "%s"', (seconds, text) => {
  expect(relativeTime(before(seconds), now)).toBe(text);
});

test.each([
  ['/play?q=who?&category=Geography', { q: 'who?', category: 'Geography' }],
  ['/play?', {}],
  ['/play', {}],
])('the parameters of %s are those after its first question mark', (path, expected) => {
  expect(Object.fromEntries(parametersOf(path))).toEqual(expected);
});

test('a full time is shown in UTC, to the second', () => {
  expect(fullTime(now)).toBe('2026-03-01 12:00:00 UTC');
});

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
  '2026-02-31T00:00',
  '2026-03-01T25:00',
  '2026-03-01T12:30+02:00',
])('the typed time %j is refused', (typed) => expect(momentOf(typed)).toBeNull());

test.each([undefined, '/quizzes/1'])(
  'a clipped text has its language when its link is %p',
  (href) => {
    const html = render(h(Clip, { text: 'Rios', language: 'pt', href }));
    expect(html).toContain('<bdi lang="pt">Rios</bdi>');
    expect(html.includes('<a ')).toBe(href !== undefined);
    if (href !== undefined) expect(html).toContain(`href="${href}"`);
  },
);
