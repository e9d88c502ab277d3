import type { AttemptView, DeliverySummary } from '../../../webhooks/deliveries/deliveries.dto';
import type { WorkersService } from '../../../webhooks/deliveries/workers.service';
import { Time } from '../../components/format';
import { Badge, type BadgeVariant } from '../../components/section';
import { Table } from '../../components/table';
import { usePage } from '../../http/page-context';
import { shortUrl } from './endpoint-state';

const VARIANTS: Record<DeliverySummary['status'], BadgeVariant> = {
  pending: 'busy',
  delivered: 'good',
  failed: 'bad',
  cancelled: 'neutral',
};

/**
 * How many milliseconds a page waits for the result of a test or a retry, so that it is shown without a script too.
 */
export const patienceWith = async (workers: WorkersService) =>
  (await workers.isRunning()) ? 3_000 : 0;

/** The meaning of failures, for whoever has to fix them. */
const MEANINGS: Record<string, string> = {
  interrupted: 'Interrupted on our side. It will be retried and does not count as an attempt.',
  timeout: 'There was no complete response in time.',
  dns_error: 'The host name has no address, or its name servers do not respond.',
  connection_refused: 'Nothing listens on the port.',
  connection_reset: 'The connection was closed before the response was complete.',
  tls_error: 'The TLS handshake failed, or the certificate is not valid for the host.',
  address_refused:
    'The URL, or an address that its host resolves to, is not allowed: it must be https and public. In development it may be http://localhost too, and WEBHOOK_ALLOW_INSECURE=true allows other local ones.',
  response_too_large: 'The response is too large: send a status and a short body.',
  protocol_error: 'The response is not valid HTTP/1.1.',
  network_error: 'The network failed, for example without a route to the host.',
  410: 'Gone: it ends the delivery and disables the endpoint.',
  redirect: 'Redirects are not followed.',
};

/**
 * The result of an attempt: `204`, `timeout`, `200, then timeout` or `interrupted`, with an explanation if needed. It
 * is good if the receiver has acknowledged the event.
 */
export function resultOf({ kind, status, error }: AttemptView) {
  if (kind === 'interrupted')
    return { text: kind, variant: 'neutral' as const, meaning: MEANINGS[kind] };
  const family = Math.floor((status ?? 0) / 100);
  return {
    text: [status, error].filter((it) => it !== null).join(', then ') || 'no response',
    variant: error === null && family === 2 ? ('good' as const) : ('bad' as const),
    meaning: MEANINGS[error ?? (family === 3 ? 'redirect' : String(status))],
  };
}

/** @param props `endpoint`: false if all rows have the same endpoint */
export function DeliveryTable(props: { deliveries: DeliverySummary[]; endpoint: boolean }) {
  return (
    <Table
      label="Deliveries"
      rows={props.deliveries}
      columns={{
        Event: ({ id, event }) => (
          <a class="link mono" href={`/dashboard/webhooks/deliveries/${id}`}>
            {event}
          </a>
        ),
        Status: (delivery) => (
          <div>
            <DeliveryState {...delivery} />
          </div>
        ),
        ...(props.endpoint && {
          Endpoint: ({ url }: DeliverySummary) => (
            <span class="clip" title={url}>
              {shortUrl(url)}
            </span>
          ),
        }),
        'Last response': ({ lastAttempt }) =>
          lastAttempt ? (
            <div>
              <span class="mono">{resultOf(lastAttempt).text}</span>
              <Duration class="sub" ms={lastAttempt.durationMs} />
            </div>
          ) : (
            <span class="muted">none yet</span>
          ),
        Attempts: ({ attempts }) => attempts,
        Created: ({ createdAt }) => <Time at={createdAt} />,
      }}
    />
  );
}

/** The duration of an attempt; nothing for an interrupted one. */
export const Duration = ({ ms, class: look }: { ms: number | null; class: string }) =>
  ms === null ? null : <span class={look}>{ms.toLocaleString('en')} ms</span>;

type Progress = Pick<DeliverySummary, 'status' | 'underWay' | 'paused' | 'nextAttemptAt'>;

/** The status, and the next step if there is one. */
export function DeliveryState({ status, ...progress }: Progress) {
  const next = nextStep(progress, usePage().now);
  return (
    <>
      <Badge variant={VARIANTS[status]}>{status}</Badge>
      {next && <span class="sub">{next}</span>}
    </>
  );
}

function nextStep({ underWay, paused, nextAttemptAt }: Omit<Progress, 'status'>, now: Date) {
  if (underWay) return 'being sent';
  if (paused) return 'paused: the endpoint is disabled';
  if (!nextAttemptAt) return null;
  if (nextAttemptAt <= now) return 'due now';
  return (
    <>
      next attempt <Time at={nextAttemptAt} />
    </>
  );
}
