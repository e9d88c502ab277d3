import type { ComponentChildren } from 'preact';
import { messagesIn } from '../../platform/messages/messages';
import { instantOf } from '../../platform/text/instant.rules';
import { usePage } from '../http/page-context';

const DAY = 86_400;

/** A unit, the number of seconds from which it is used, and its length in seconds. */
const UNITS: [name: Intl.RelativeTimeFormatUnit, from: number, seconds: number][] = [
  ['year', 365 * DAY, 365 * DAY],
  // Days are used beyond thirty as well: a key of 90 days ends in 90 days.
  ['month', 100 * DAY, 30 * DAY],
  ['day', DAY, DAY],
  ['hour', 3_600, 3_600],
  ['minute', 60, 60],
];

/** `just now`, `3 minutes ago`, `in 7 days`, in one of the units above. */
export function relativeTime(at: Date, now: Date, messages = messagesIn('en')): string {
  const seconds = (at.getTime() - now.getTime()) / 1_000;
  // Times in the future are rounded up: what lasts an hour ends "in 1 hour", also a second later.
  const whole = seconds > 0 ? Math.ceil(seconds / 60) * 60 : seconds;
  const [name, , length] = UNITS.find(([, from]) => Math.abs(whole) >= from) ?? [];
  if (!name || !length) return messages.t('time.now');
  return messages.relativeTime(Math.trunc(whole / length), name);
}

/** `2026-03-01 12:30:00 UTC` */
export function fullTime(at: Date): string {
  return `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** A form field's time in UTC, such as `2026-03-01T12:30` or `2026-03-01 12:30:00Z`; null if it is no time. */
export function momentOf(typed: string): Date | null {
  const text = typed.trim().replace(' ', 'T');
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z?$/.test(text)) return null;
  return instantOf(text.endsWith('Z') ? text : `${text}Z`);
}

/** A relative time, `3 minutes ago`, with the full time in UTC on hover. `never` is shown for null. */
export function Time({ at, never }: { at: Date | null; never?: string }) {
  const { now, messages } = usePage();
  if (!at) return <span class="muted">{never ?? messages.t('time.never')}</span>;
  return (
    <time dateTime={at.toISOString()} title={fullTime(at)}>
      {relativeTime(at, now, messages)}
    </time>
  );
}

/** A link within a sentence. */
export function Link({ to, children }: { to: string; children: ComponentChildren }) {
  return (
    <a class="link" href={to}>
      {children}
    </a>
  );
}

/** Text on one line, truncated if it is too long, with the full text on hover; with `href` a link. */
export function Clip({
  text,
  language,
  href,
  wide,
}: {
  text: string;
  language?: string | null | undefined;
  href?: string;
  wide?: boolean;
}) {
  const look = wide ? 'clip wide' : 'clip';
  const content = <bdi lang={language ?? undefined}>{text}</bdi>;
  return href ? (
    <a class={`link ${look}`} href={href} title={text}>
      {content}
    </a>
  ) : (
    <span class={look} title={text}>
      {content}
    </span>
  );
}

/** The parameters in the query of a path. Their values may contain question marks. */
export function parametersOf(path: string): URLSearchParams {
  const at = path.indexOf('?');
  return new URLSearchParams(at === -1 ? '' : path.slice(at));
}

/** `Ada, نور`: names of players, of which each keeps its own direction. */
export function Names({ of }: { of: readonly string[] }) {
  const { messages } = usePage();
  return (
    <>
      {of.map((name, at) => (
        <>
          {at > 0 && messages.comma}
          <bdi>{name}</bdi>
        </>
      ))}
    </>
  );
}

/** A URL with one more parameter. */
export const withParameter = (url: string, name: string, value: string | number): string =>
  `${url}${url.includes('?') ? '&' : '?'}${name}=${value}`;
