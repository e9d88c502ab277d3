import { curlOf } from '../../../webhooks/deliveries/curl';
import type {
  AttemptWithRequest,
  DeliveryDetail,
} from '../../../webhooks/deliveries/deliveries.dto';
import type { EndpointView } from '../../../webhooks/endpoints/endpoints.dto';
import { CopyText, PostButton } from '../../components/button';
import { fullTime, Link, Time } from '../../components/format';
import { Page, reloading } from '../../components/page';
import { Badge, Facts, Panel, Section } from '../../components/section';
import type { Form } from '../../http/form';
import { usePage } from '../../http/page-context';
import { DeliveryState, Duration, resultOf } from './delivery-state';
import { WorkerNote } from './endpoint-state';

const AT = '/dashboard/webhooks/deliveries';

/** @param endpoint null if it was deleted */
export function DeliveryPage({
  delivery,
  endpoint,
  workerRunning,
  form,
}: {
  delivery: DeliveryDetail;
  endpoint: EndpointView | null;
  workerRunning: boolean;
  form: Form;
}) {
  const at = `${AT}/${delivery.id}`;
  const curl = curlOf(delivery);
  const { now } = usePage();
  const { nextAttemptAt, paused, isTest, status, attemptLog: attempts } = delivery;
  const isDue = nextAttemptAt !== null && nextAttemptAt <= now && !paused;
  const soon = delivery.underWay || isDue;
  const mayRetry = endpoint && (!endpoint.disabledAt || isTest) && !soon;
  return (
    <Page
      title={delivery.event}
      help={isTest ? 'A test event: it is tried once.' : 'Delivery of one event to one endpoint.'}
      back={{ href: AT, label: 'Deliveries' }}
      action={
        mayRetry && (
          <PostButton
            look={status === 'delivered' ? 'outline' : 'primary'}
            action={`${at}/retry`}
            text="Retry now"
          />
        )
      }
      form={form}
    >
      <WorkerNote workerRunning={workerRunning} />
      {soon && <UnderWay at={at} workerRunning={workerRunning} />}
      <Panel label="Delivery">
        <Facts
          of={{
            Status: <DeliveryState {...delivery} />,
            Endpoint: endpoint ? (
              <Link to={`/dashboard/webhooks/${endpoint.id}`}>{delivery.url}</Link>
            ) : (
              <>
                {delivery.url} <span class="muted">(deleted)</span>
              </>
            ),
            Created: moment(delivery.createdAt),
            'Next attempt': moment(nextAttemptAt),
            Finished: moment(delivery.finishedAt),
            'Event id': <span class="mono">{delivery.eventId}</span>,
          }}
        />
      </Panel>
      <Section title="Attempts">
        {attempts.length === 0 && <p>None yet.</p>}
        {attempts.length > 0 && (
          <ol class="attempts" reversed>
            {attempts.toReversed().map((attempt) => (
              <Attempt attempt={attempt} isLast={attempt === attempts.at(-1)} />
            ))}
          </ol>
        )}
      </Section>
      <Section title="Body" help="Signed and sent as one line; here with line breaks.">
        <CopyText text={prettyJson(delivery.body)} label="Body" />
      </Section>
      {curl !== null && (
        <Section
          title="Copy as curl"
          help="The same request, signed now: receivers that check the timestamp accept it for five minutes. It contains no secret."
        >
          <CopyText text={curl} label="curl command" />
        </Section>
      )}
    </Page>
  );
}

const moment = (at: Date | null) =>
  at && (
    <>
      <Time at={at} /> <span class="muted">({fullTime(at)})</span>
    </>
  );

/** JSON is indented; other text is unchanged. */
function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** With a script the page updates by itself. */
function UnderWay({ at, workerRunning }: { at: string; workerRunning: boolean }) {
  return (
    <p class="under-way" role="status" {...reloading('main', at, 'every 2s')}>
      {workerRunning ? 'An attempt is under way.' : 'It is sent as soon as a worker runs.'}{' '}
      <Link to={at}>Refresh</Link>
    </p>
  );
}

const headerLines = (headers: Record<string, string>) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

/** The start of the receiver's response is untrusted, and text like any other. */
function Attempt({ attempt, isLast }: { attempt: AttemptWithRequest; isLast: boolean }) {
  const { text, variant, meaning } = resultOf(attempt);
  return (
    <li class="panel">
      <div class="attempt-line">
        <h3>
          Attempt {attempt.number} <span class="muted">{attempt.kind}</span>
        </h3>
        <Badge variant={variant}>{text}</Badge>
        <Duration class="figure" ms={attempt.durationMs} />
        <span class="when">{moment(attempt.startedAt)}</span>
      </div>
      {meaning && <p class="muted">{meaning}</p>}
      {attempt.requestHeaders && (
        <details class="more">
          <summary>Request headers</summary>
          <pre
            class="response"
            tabIndex={0}
            aria-label={`Request headers of attempt ${attempt.number}`}
          >
            {headerLines(attempt.requestHeaders)}
          </pre>
          <p class="muted">
            Signed with the endpoint’s present secret: after a rotation the signatures differ from
            those that were sent.
          </p>
        </details>
      )}
      {attempt.response !== null && (
        <details class="more" open={isLast && variant === 'bad'}>
          <summary>Response</summary>
          <pre class="response" tabIndex={0} aria-label={`Response to attempt ${attempt.number}`}>
            {attempt.response}
          </pre>
        </details>
      )}
    </li>
  );
}
