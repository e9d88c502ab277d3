import type { ComponentChildren } from 'preact';
import type { DeliveryDetail, AttemptView } from '../../../webhooks/deliveries/deliveries.service';
import type { EndpointView } from '../../../webhooks/endpoints/endpoint.view';
import { CopyText } from '../../components/copy';
import { FormErrors } from '../../components/fields';
import { Page } from '../../components/page';
import { Time, fullTime } from '../../components/format';
import type { Form } from '../../http/form';
import { usePage } from '../../http/page-context';
import { Badge } from '../../components/badge';
import { prettyJson, meaningOf, resultOf, variantOf } from './delivery-labels';
import { DeliveryState } from './delivery-table';
import { WorkerNote } from './webhooks-header';

const BACK = { href: '/dashboard/webhooks/deliveries', label: 'Deliveries' };

export function DeliveryPage({
  delivery,
  endpoint,
  workerRunning,
  form,
}: {
  delivery: DeliveryDetail;
  /** Null where it was deleted. */
  endpoint: EndpointView | null;
  workerRunning: boolean;
  form: Form;
}) {
  const at = `/dashboard/webhooks/deliveries/${delivery.id}`;
  const { now } = usePage();
  const isDue =
    delivery.nextAttemptAt !== null && delivery.nextAttemptAt <= now && !delivery.paused;
  const soon = delivery.underWay || isDue;
  const mayRetry = endpoint && (!endpoint.disabledAt || delivery.isTest) && !soon;
  return (
    <Page
      title={delivery.event}
      help={
        delivery.isTest
          ? 'A test event: it is tried once.'
          : 'Delivery of one event to one endpoint.'
      }
      back={BACK}
      action={
        mayRetry && (
          <form method="post" action={`${at}/retry`}>
            <button
              class="btn"
              data-variant={delivery.status === 'delivered' ? 'outline' : undefined}
            >
              Retry now
            </button>
          </form>
        )
      }
    >
      <FormErrors form={form} />
      <WorkerNote workerRunning={workerRunning} />
      {soon && <UnderWay at={at} workerRunning={workerRunning} />}
      <section class="panel" aria-label="Delivery">
        <dl class="facts">
          <dt>Status</dt>
          <dd>
            <DeliveryState delivery={delivery} />
          </dd>
          <dt>Endpoint</dt>
          <dd>
            {endpoint ? (
              <a class="link" href={`/dashboard/webhooks/${endpoint.id}`}>
                {delivery.url}
              </a>
            ) : (
              <>
                {delivery.url} <span class="muted">(deleted)</span>
              </>
            )}
          </dd>
          <Moment title="Happened" at={delivery.createdAt} />
          <Moment title="Next attempt" at={delivery.nextAttemptAt} />
          <Moment title="Finished" at={delivery.finishedAt} />
          <dt>Event id</dt>
          <dd class="mono">{delivery.eventId}</dd>
        </dl>
      </section>
      <section class="section">
        <h2>Attempts</h2>
        <AttemptLog attempts={delivery.attemptLog} />
      </section>
      <section class="section">
        <h2>Body</h2>
        <p>Signed and sent as one line; here with line breaks.</p>
        <CopyText text={prettyJson(delivery.body)} label="Body" />
      </section>
    </Page>
  );
}

/** With a script the page looks again by itself. */
function UnderWay({ at, workerRunning }: { at: string; workerRunning: boolean }) {
  return (
    <p
      class="under-way"
      role="status"
      hx-get={at}
      hx-trigger="every 2s"
      hx-target="#main"
      hx-select="#main"
      hx-swap="outerHTML"
    >
      {workerRunning ? 'An attempt is under way.' : 'It is sent as soon as a worker runs.'}{' '}
      <a class="link" href={at}>
        Look again
      </a>
    </p>
  );
}

function Moment({ title, at }: { title: string; at: Date | null }): ComponentChildren {
  if (!at) return null;
  return (
    <>
      <dt>{title}</dt>
      <dd>
        <Time at={at} /> <span class="muted">({fullTime(at)})</span>
      </dd>
    </>
  );
}

/** Every attempt, the newest first, with what the receiver answered: untrusted, and text like any other. */
function AttemptLog({ attempts }: { attempts: AttemptView[] }) {
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
