const DAY = 86_400;

/** A unit, from how many seconds on it is used, and how many it has. */
const UNITS: [name: Intl.RelativeTimeFormatUnit, from: number, seconds: number][] = [
  ['year', 365 * DAY, 365 * DAY],
  // People count days further than thirty: a key of 90 days ends in 90 days.
  ['month', 100 * DAY, 30 * DAY],
  ['day', DAY, DAY],
  ['hour', 3_600, 3_600],
  ['minute', 60, 60],
];

const words = new Intl.RelativeTimeFormat('en', { numeric: 'always' });

/** `just now`, `3 minutes ago`, `in 7 days`: in the largest unit of which at least one has passed. */
export function relativeTime(at: Date, now: Date): string {
  const seconds = (at.getTime() - now.getTime()) / 1_000;
  // What is to come is rounded up: what lasts an hour ends "in 1 hour", also a second later.
  const whole = seconds > 0 ? Math.ceil(seconds / 60) * 60 : seconds;
  const [name, , length] = UNITS.find(([, from]) => Math.abs(whole) >= from) ?? [];
  if (!name || !length) return 'just now';
  return words.format(Math.trunc(whole / length), name);
}

/** `2026-03-01 12:30:00 UTC` */
export function fullTime(at: Date): string {
  return `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
