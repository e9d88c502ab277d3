import type { EventName } from '../../../events/event-map';
import type { BadgeVariant } from '../../components/badge';

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'cancelled'] as const;

export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export const DELIVERY_VARIANTS: Record<DeliveryStatus, BadgeVariant> = {
  pending: 'busy',
  delivered: 'good',
  failed: 'bad',
  cancelled: 'neutral',
};

/** What an attempt says of itself. */
interface Attempt {
  kind: string;
  status: number | null;
  error: string | null;
}

/** `204`, `timeout`, `200, then timeout`, `interrupted` */
export function resultOf({ kind, status, error }: Attempt): string {
  if (kind === 'interrupted') return 'interrupted';
  if (status !== null && error !== null) return `${status}, then ${error}`;
  return error ?? String(status ?? 'no answer');
}

/** Good where the receiver has acknowledged; an attempt that we broke off says nothing of the receiver. */
export function variantOf({ kind, status, error }: Attempt): BadgeVariant {
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
export function meaningOf({ kind, status, error }: Attempt): string | null {
  if (kind === 'interrupted')
    return 'Interrupted on our side. It will be retried and does not count as an attempt.';
  if (error !== null) return MEANINGS[error] ?? null;
  if (status === 410) return 'Gone: it ends the delivery and disables the endpoint.';
  return status !== null && status >= 300 && status <= 399 ? 'Redirects are not followed.' : null;
}

/** JSON with its lines; any other text as it is. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** What each event means, in a line. */
export const EVENT_LABELS: Record<EventName, string> = {
  'quiz.created': 'A quiz was created.',
  'quiz.published': 'A quiz became public: published and approved. Once per quiz.',
  'attempt.submitted': 'A player submitted an attempt.',
  'quiz.completed': 'A player finished a quiz: every question is answered.',
  'leaderboard.updated': 'The visible top ten of a quiz changed.',
  'delivery.failed': 'A delivery to another endpoint failed: no further attempt follows.',
  'endpoint.disabled': 'The service disabled another endpoint.',
};

/** Of the event that people send themselves to try an endpoint. It cannot be subscribed to. */
export const TEST_EVENT = 'webhook.test';
