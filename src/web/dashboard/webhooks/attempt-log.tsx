import type { AttemptView } from '../../../webhooks/deliveries/deliveries.service';
import { Badge } from '../../components/badge';
import { Time } from '../../components/time';
import { fullTime } from '../../components/time.rules';
import { meaningOf, resultOf, variantOf } from './delivery-labels.rules';

/** Every attempt, the newest first, with what the receiver answered: untrusted, and text like any other. */
export function AttemptLog({ attempts }: { attempts: AttemptView[] }) {
  if (attempts.length === 0) return <p>None yet.</p>;
  return (
    <ol class="attempts" reversed>
      {attempts.toReversed().map((attempt) => (
        <li key={attempt.number} class="panel">
          <Attempt attempt={attempt} isLast={attempt === attempts.at(-1)} />
        </li>
      ))}
    </ol>
  );
}

function Attempt({ attempt, isLast }: { attempt: AttemptView; isLast: boolean }) {
  const meaning = meaningOf(attempt);
  return (
    <>
      <div class="attempt-line">
        <h3>
          Attempt {attempt.number} <span class="muted">{attempt.kind}</span>
        </h3>
        <Badge variant={variantOf(attempt)}>{resultOf(attempt)}</Badge>
        {attempt.durationMs !== null && (
          <span class="figure">{attempt.durationMs.toLocaleString('en')} ms</span>
        )}
        <span class="when">
          <Time at={attempt.startedAt} /> <span class="muted">({fullTime(attempt.startedAt)})</span>
        </span>
      </div>
      {meaning && <p class="muted">{meaning}</p>}
      {attempt.response !== null && (
        <details class="more" open={isLast && variantOf(attempt) === 'bad'}>
          <summary>Answer</summary>
          <pre class="answer" tabIndex={0} aria-label={`Answer to attempt ${attempt.number}`}>
            {attempt.response}
          </pre>
        </details>
      )}
    </>
  );
}
