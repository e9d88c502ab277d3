/** How numbers are shown: as a date or a time, as a time that has passed, in percent, or with so many digits. */
export type NumberStyle = 'date' | 'seconds' | 'elapsed' | 'percent' | number | undefined;

/** The styles that workbooks know by their numbers. */
export function builtInStyle(id: number): NumberStyle {
  if (id === 9 || id === 10) return 'percent';
  if (id === 46) return 'elapsed';
  if ([19, 21, 45, 47].includes(id)) return 'seconds';
  return id >= 14 && id <= 22 ? 'date' : undefined;
}

/** The style that a code such as `[h]:mm:ss` describes. */
export function styleOf(code: string): NumberStyle {
  // Without texts in quotes and colours in brackets.
  const outside = code
    .split('"')
    .filter((_, place) => place % 2 === 0)
    .join('');
  if (/\[(?:h+|m+|s+)\]/i.test(outside)) return 'elapsed';
  if (/^0{2,20}$/.test(code)) return code.length;
  const marks = outside
    .split('[')
    .map((part) => part.slice(part.indexOf(']') + 1))
    .join('');
  if (marks.includes('%')) return 'percent';
  if (!/[ymdhs]/i.test(marks) || /general/i.test(marks)) return undefined;
  return /s/i.test(marks) ? 'seconds' : 'date';
}

/** Dates in one form, and numbers without the decimals and signs that a format adds, except percent. */
export function shownNumber(text: string, style: NumberStyle, epoch: number): string {
  const number = Number(text);
  if (!Number.isFinite(number)) return text;
  if (style === 'percent') return `${rounded(number * 100)}%`;
  if (style === 'elapsed' && number >= 0) return elapsedOf(number);
  if (typeof style === 'number' && /^\d+$/.test(text)) return text.padStart(style, '0');
  if (style === 'date') return dateOf(number, epoch, 60);
  return style === 'seconds' ? dateOf(number, epoch, 1) : rounded(number);
}

/** As Excel shows it: 0.1 + 0.2 is 0.3. */
const rounded = (number: number): string => String(Number(number.toPrecision(15)));

const SECONDS = 86_400;

/** @param exact to how many seconds */
function dateOf(days: number, epoch: number, exact: number): string {
  const date = new Date(Math.round(((days - epoch) * SECONDS) / exact) * exact * 1_000);
  if (Number.isNaN(date.getTime())) return String(days);
  const [day = '', time = ''] = date.toISOString().slice(0, 19).replace(NO_SECONDS, '').split('T');
  if (days < 1) return time;
  return time === '00:00' ? day : `${day} ${time}`;
}

/** Hours, minutes and seconds. */
function elapsedOf(days: number): string {
  const seconds = Math.round(days * SECONDS);
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60];
  const [minutes, rest] = parts.map((part) => String(part).padStart(2, '0'));
  return `${Math.floor(seconds / 3_600)}:${minutes}:${rest}`.replace(NO_SECONDS, '');
}

/** At the end of a time. */
const NO_SECONDS = /(?<=:\d\d):00$/;
