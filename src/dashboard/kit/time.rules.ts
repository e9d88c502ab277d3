const UNITS: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

const words = new Intl.RelativeTimeFormat('en', { numeric: 'always' });

/** `just now`, `3 minutes ago`, `in 7 days`: in the largest unit of which at least one has passed. */
export function relativeTime(at: Date, now: Date): string {
  const seconds = (at.getTime() - now.getTime()) / 1_000;
  const unit = UNITS.find(([, length]) => Math.abs(seconds) >= length);
  if (!unit) return seconds > 0 ? 'in less than a minute' : 'just now';
  return words.format(Math.trunc(seconds / unit[1]), unit[0]);
}

/** `2026-03-01 12:30:00 UTC` */
export function fullTime(at: Date): string {
  return `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
