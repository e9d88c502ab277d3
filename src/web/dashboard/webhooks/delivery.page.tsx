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
import { useMessages, usePage } from '../../http/page-context';
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
  const { now, messages } = usePage();
  const { t } = messages;
  const { nextAttemptAt, paused, isTest, status, attemptLog: attempts } = delivery;
  const isDue = nextAttemptAt !== null && nextAttemptAt <= now && !paused;
  const soon = delivery.underWay || isDue;
  const mayRetry = endpoint && (!endpoint.disabledAt || isTest) && !soon;
  return (
    <Page
      title={delivery.event}
      help={t(isTest ? 'delivery.helpTest' : 'delivery.help')}
      back={{ href: AT, label: t('webhook.deliveries') }}
      action={
        mayRetry && (
          <PostButton
            look={status === 'delivered' ? 'outline' : 'primary'}
            action={`${at}/retry`}
            text={t('delivery.retryNow')}
          />
        )
      }
      form={form}
    >
      <WorkerNote workerRunning={workerRunning} />
      {soon && <UnderWay at={at} workerRunning={workerRunning} />}
      <Panel label={t('delivery.delivery')}>
        <Facts
          rows={[
            [t('apiKey.status'), <DeliveryState {...delivery} />],
            [
              t('delivery.endpoint'),
              endpoint ? (
                <Link to={`/dashboard/webhooks/${endpoint.id}`}>{delivery.url}</Link>
              ) : (
                <>
                  {delivery.url} <span class="muted">{t('delivery.deleted')}</span>
                </>
              ),
            ],
            [t('list.created'), moment(delivery.createdAt)],
            [t('delivery.nextAttempt'), moment(nextAttemptAt)],
            [t('delivery.finished'), moment(delivery.finishedAt)],
            [t('delivery.eventId'), <span class="mono">{delivery.eventId}</span>],
          ]}
        />
      </Panel>
      <Section title={t('delivery.attempts')}>
        {attempts.length === 0 && <p>{t('delivery.noAttempts')}</p>}
        {attempts.length > 0 && (
          <ol class="attempts" reversed>
            {attempts.toReversed().map((attempt) => (
              <Attempt attempt={attempt} isLast={attempt === attempts.at(-1)} />
            ))}
          </ol>
        )}
      </Section>
      <Section title={t('delivery.body')} help={t('delivery.bodyHelp')}>
        <CopyText text={prettyJson(delivery.body)} label={t('delivery.body')} />
      </Section>
      {curl !== null && (
        <Section title={t('delivery.curl')} help={t('delivery.curlHelp')}>
          <CopyText text={curl} label={t('delivery.curlCommand')} />
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
  const { t } = useMessages();
  return (
    <p class="under-way" role="status" {...reloading('main', at, 'every 2s')}>
      {t(workerRunning ? 'delivery.underWay' : 'delivery.whenWorker')}{' '}
      <Link to={at}>{t('delivery.refresh')}</Link>
    </p>
  );
}

const headerLines = (headers: Record<string, string>) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

/** The start of the receiver's response is untrusted, and text like any other. */
function Attempt({ attempt, isLast }: { attempt: AttemptWithRequest; isLast: boolean }) {
  const messages = useMessages();
  const { t } = messages;
  const { number } = attempt;
  const { text, variant, meaning } = resultOf(attempt, messages);
  return (
    // With an id, a new attempt does not get the open details of another.
    <li class="panel" id={`attempt-${number}`}>
      <div class="attempt-line">
        <h3>
          {t('delivery.attempt', { number })}{' '}
          <span class="muted">{t(`delivery.kind.${attempt.kind}`)}</span>
        </h3>
        <Badge variant={variant}>{text}</Badge>
        <Duration class="figure" ms={attempt.durationMs} />
        <span class="when">{moment(attempt.startedAt)}</span>
      </div>
      {meaning && <p class="muted">{meaning}</p>}
      {attempt.requestHeaders && (
        <details class="more">
          <summary>{t('delivery.headers')}</summary>
          <pre class="response" tabIndex={0} aria-label={t('delivery.headersOf', { number })}>
            {headerLines(attempt.requestHeaders)}
          </pre>
          <p class="muted">{t('delivery.signedNow')}</p>
        </details>
      )}
      {attempt.response !== null && (
        <details class="more" open={isLast && variant === 'bad'}>
          <summary>{t('delivery.response')}</summary>
          <pre class="response" tabIndex={0} aria-label={t('delivery.responseTo', { number })}>
            {attempt.response}
          </pre>
        </details>
      )}
    </li>
  );
}
