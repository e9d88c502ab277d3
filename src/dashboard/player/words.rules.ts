/** `45 s`, `1 min 5 s`, `2 h 3 min` */
export function duration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 ? `${minutes} min ${seconds % 60} s` : `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
}

/** `1st`, `2nd`, `3rd`, `11th` */
export function ordinal(number: number): string {
  const kind = new Intl.PluralRules('en', { type: 'ordinal' }).select(number);
  const endings: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' };
  return `${number}${endings[kind] ?? 'th'}`;
}

/** What to say of a score. */
export function praise(score: number, total: number): string {
  if (score === total) return 'All of them right!';
  if (score >= total * 0.8) return 'Very good!';
  if (score >= total * 0.5) return 'Well played!';
  return score > 0 ? 'A good start.' : 'Not this time.';
}
