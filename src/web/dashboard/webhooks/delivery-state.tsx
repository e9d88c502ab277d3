import type { AttemptView, DeliverySummary } from '../../../webhooks/deliveries/deliveries.service';
import { Time } from '../../components/format';
import { Badge, type BadgeVariant } from '../../components/section';
import { Table } from '../../components/table';
import { usePage } from '../../http/page-context';
import { shortUrl } from './endpoint-state';

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'cancelled'] as const;

/** The event that people send themselves to try an endpoint. It cannot be subscribed to. */
export const TEST_EVENT = 'webhook.test';

const VARIANTS: Record<DeliverySummary['status'], BadgeVariant> = {
  pending: 'busy',
  delivered: 'good',
  failed: 'bad',
  cancelled: 'neutral',
};

/** `204`, `timeout`, `200, then timeout`, `interrupted` */
export function resultOf({ kind, status, error }: AttemptView): string {
  if (kind === 'interrupted') return 'interrupted';
  if (status !== null && error !== null) return `${status}, then ${error}`;
  return error ?? String(status ?? 'no answer');
}

/** Good where the receiver has acknowledged; an attempt that we broke off says nothing of the receiver. */
export function variantOf({ kind, status, error }: AttemptView): BadgeVariant {
  if (kind === 'interrupted') return 'neutral';
  return error === null && status !== null && status >= 200 && status <= 299 ? 'good' : 'bad';
}

/** What the words of failures mean, for whoever has to fix it. */
const MEANINGS: Record<string, string> = {
  timeout: 'There was no complete answer in time.',
  dns_error: 'The host name has no address, or its name servers do not answer.',
  connection_refused: 'Nothing listens on the port.',
  connection_reset: 'The connection was closed before the answer was complete.',
  tls_error: 'The TLS handshake failed, or the certificate is not valid for the host.',
  address_refused:
    'The URL, or an address that its host resolves to, is not allowed: it must be https and public. In development WEBHOOK_ALLOW_INSECURE=true allows local ones.',
  response_too_large: 'The response is too large: send a status and a short body.',
  protocol_error: 'The answer is not valid HTTP/1.1.',
  network_error: 'The network failed, for example without a route to the host.',
};

/** A sentence about an attempt that failed; null where its status says it all. */
export function meaningOf({ kind, status, error }: AttemptView): string | null {
  if (kind === 'interrupted')
    return 'Interrupted on our side. It will be retried and does not count as an attempt.';
  if (error !== null) return MEANINGS[error] ?? null;
  if (status === 410) return 'Gone: it ends the delivery and disables the endpoint.';
  return status !== null && status >= 300 && status <= 399 ? 'Redirects are not followed.' : null;
}

/** @param of `endpoint`: false where all rows are of one endpoint */
export function DeliveryTable(of: { deliveries: DeliverySummary[]; endpoint: boolean }) {
  return (
    <Table
      label="Deliveries"
      rows={of.deliveries}
      columns={{
        Event: ({ id, event }) => (
          <a class="link mono" href={`/dashboard/webhooks/deliveries/${id}`}>
            {event}
          </a>
        ),
        Status: (delivery) => (
          <div>
            <DeliveryState delivery={delivery} />
          </div>
        ),
        ...(of.endpoint && {
          Endpoint: ({ url }: DeliverySummary) => (
            <span class="clip" title={url}>
              {shortUrl(url)}
            </span>
          ),
        }),
        'Last answer': ({ lastAttempt }) =>
          lastAttempt ? (
            <div>
              <span class="mono">{resultOf(lastAttempt)}</span>
              {lastAttempt.durationMs !== null && (
                <span class="sub">{lastAttempt.durationMs.toLocaleString('en')} ms</span>
              )}
            </div>
          ) : (
            <span class="muted">none yet</span>
          ),
        Attempts: ({ attempts }) => attempts,
        Happened: ({ createdAt }) => <Time at={createdAt} />,
      }}
    />
  );
}

type Progress = Pick<DeliverySummary, 'status' | 'underWay' | 'paused' | 'nextAttemptAt'>;

/** The status, and what comes next where something does. */
export function DeliveryState({ delivery }: { delivery: Progress }) {
  return (
    <>
      <Badge variant={VARIANTS[delivery.status]}>{delivery.status}</Badge>
      <Next {...delivery} />
    </>
  );
}

function Next({ underWay, paused, nextAttemptAt }: Progress) {
  const { now } = usePage();
  if (underWay) return <span class="sub">being sent</span>;
  if (paused) return <span class="sub">paused: the endpoint is disabled</span>;
  if (!nextAttemptAt) return null;
  if (nextAttemptAt <= now) return <span class="sub">due now</span>;
  return (
    <span class="sub">
      next attempt <Time at={nextAttemptAt} />
    </span>
  );
}
