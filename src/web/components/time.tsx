import { usePage } from '../http/page-context';
import { fullTime, relativeTime } from './time.rules';

/** A time as people say it, `3 minutes ago`; the full time in UTC on hover. `never` stands for null. */
export function Time({ at, never = 'never' }: { at: Date | null; never?: string }) {
  const { now } = usePage();
  if (!at) return <span class="muted">{never}</span>;
  return (
    <time dateTime={at.toISOString()} title={fullTime(at)}>
      {relativeTime(at, now)}
    </time>
  );
}
