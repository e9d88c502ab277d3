import { createHmac, timingSafeEqual } from 'node:crypto';

/** The input of one attempt's signatures. */
export interface DeliveryToSign {
  /** The event's id, the same on every attempt: letters, digits, `-` and `_` only. */
  readonly eventId: string;
  /** The event type, for example `quiz.created`. */
  readonly event: string;
  /** The stored body, byte for byte as it is sent. */
  readonly body: string | Uint8Array;
  /** The endpoint's current secret, `whsec_…`. */
  readonly secret: string;
  /** During a rotation the other valid secret (staged or retiring); it adds a second signature. */
  readonly otherSecret?: string | null;
  /** The time of this attempt, for `webhook-timestamp`. */
  readonly now: Date;
}

/**
 * The headers of one delivery attempt except `Host` and `Content-Length`: those of part 6 and the Standard Webhooks
 * ones (contract, Events).
 * @throws Error if the event id could make the signed text ambiguous, or a secret is not `whsec_<base64>`. No message
 *   contains a secret.
 */
export function deliveryHeaders(delivery: DeliveryToSign): Record<string, string> {
  const { eventId, event, body, secret, otherSecret, now } = delivery;
  const timestamp = Math.floor(now.getTime() / 1000);
  const secrets = otherSecret ? [secret, otherSecret] : [secret];
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Service-Webhooks/1.0',
    'X-Service-Signature': serviceSignature(body, secret),
    'X-Service-Event': event,
    'X-Service-Delivery': eventId,
    'webhook-id': eventId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets
      .map((key) => standardSignature({ id: eventId, timestamp, body, secret: key }))
      .join(' '),
  };
}

/**
 * The value of `X-Service-Signature` (part 6): `sha256=` and the lower-case hex HMAC-SHA256 of the
 * raw body. The key is the UTF-8 text of the whole secret, its `whsec_` prefix included.
 */
export function serviceSignature(body: string | Uint8Array, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

/**
 * One entry of `webhook-signature` (Standard Webhooks 1.0): `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`.
 * The key differs from the one above: that ecosystem's libraries base64-decode what follows `whsec_`.
 * @param input.timestamp seconds since 1970
 * @throws Error if the id has characters other than letters, digits, `-` and `_`, or the secret is not
 *   `whsec_<base64>`
 */
export function standardSignature(input: {
  id: string;
  timestamp: number;
  body: string | Uint8Array;
  secret: string;
}): string {
  // With a dot in the id, one signature would be valid for several splits of id, timestamp and body.
  if (!/^[\w-]+$/.test(input.id))
    throw new Error('The event id contains characters that cannot be signed.');
  const hmac = createHmac('sha256', standardKey(input.secret));
  return `v1,${hmac.update(`${input.id}.${input.timestamp}.`).update(input.body).digest('base64')}`;
}

/**
 * Whether `header` is the `X-Service-Signature` of `body` under `secret`, compared in constant time
 * (part 6, receiving rule 1). A missing header and an empty secret are simply false.
 */
export function verifySignature(
  body: string | Uint8Array,
  header: string | undefined,
  secret: string,
): boolean {
  if (!header || !secret) return false;
  const given = Buffer.from(header, 'utf8');
  const expected = Buffer.from(serviceSignature(body, secret), 'utf8');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function standardKey(secret: string): Buffer {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)?.[1];
  // Strict, because the receiver's library is strict: a text that only we can decode would never verify there.
  if (!encoded || Buffer.from(encoded, 'base64').toString('base64') !== encoded) {
    throw new Error('The signing secret does not have the form whsec_<base64>.');
  }
  return Buffer.from(encoded, 'base64');
}
