import { QuizServiceError } from './errors.ts';
import type { WebhookEvent } from './types.ts';

/** The delivery was not signed with this secret, or is too old. Respond with 400 and ignore it. */
export class WebhookVerificationError extends QuizServiceError {}

export interface Delivery {
  /** The raw body, before anything parses it. */
  body: string | Uint8Array;
  /** The request's headers: Node's `request.headers`, a `Headers`, or an object of names and values. */
  headers: Headers | Record<string, string | string[] | undefined>;
  /** `whsec_…`. During a rotation pass both: one that matches is enough. */
  secret: string | readonly string[];
  /**
   * `timestamped` (the default) checks `webhook-signature`, which cannot be replayed later. `body` checks
   * `X-Service-Signature`, for platforms that pass on only that header.
   */
  signature?: 'timestamped' | 'body';
  /** How far the delivery's time may be from now, in seconds; 300 by default. */
  tolerance?: number;
  /** The current time, for tests. */
  now?: Date;
}

const encoder = new TextEncoder();

/**
 * Verifies a delivery, in constant time. @returns its event
 * @throws WebhookVerificationError
 */
export async function verifyWebhook(delivery: Delivery): Promise<WebhookEvent> {
  const body = typeof delivery.body === 'string' ? encoder.encode(delivery.body) : delivery.body;
  const secrets = [delivery.secret].flat();
  if (secrets.length === 0 || secrets.includes(''))
    throw new WebhookVerificationError('There is no secret to verify the delivery with.');
  const isSigned =
    delivery.signature === 'body'
      ? await isBodySigned(delivery, body, secrets)
      : await isTimestampedSigned(delivery, body, secrets);
  if (!isSigned)
    throw new WebhookVerificationError('The signature does not match this body and secret.');
  return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent;
}

/** `X-Service-Signature` signs the body; its key is the text of the secret. */
async function isBodySigned(
  { headers }: Delivery,
  body: Uint8Array,
  secrets: readonly string[],
): Promise<boolean> {
  const hex = /^sha256=([0-9a-f]{64})$/.exec(header(headers, 'x-service-signature'))?.[1];
  if (hex === undefined)
    throw new WebhookVerificationError(
      'X-Service-Signature must be sha256= followed by 64 hex digits.',
    );
  const signature = Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16));
  const keys = secrets.map((secret) => encoder.encode(secret));
  return isSignedByAny(keys, [signature], body);
}

/** `webhook-signature` signs id, time and body; its key is the bytes of the secret (Standard Webhooks). */
async function isTimestampedSigned(
  { headers, tolerance = 300, now = new Date() }: Delivery,
  body: Uint8Array,
  secrets: readonly string[],
): Promise<boolean> {
  const id = header(headers, 'webhook-id');
  const timestamp = header(headers, 'webhook-timestamp');
  if (!/^\d{1,12}$/.test(timestamp))
    throw new WebhookVerificationError('webhook-timestamp must be a time in seconds.');
  if (Math.abs(now.getTime() / 1_000 - Number(timestamp)) > tolerance)
    throw new WebhookVerificationError(
      `webhook-timestamp is more than ${tolerance} seconds from now: the delivery is old, or a clock is wrong.`,
    );
  const signatures = header(headers, 'webhook-signature')
    .split(' ')
    .filter((entry) => entry.startsWith('v1,'))
    .map((entry) => bytesOf(entry.slice(3)))
    .filter((bytes) => bytes !== null);
  const keys = secrets
    .map((secret) => (secret.startsWith('whsec_') ? bytesOf(secret.slice(6)) : null))
    .filter((key) => key !== null);
  if (keys.length < secrets.length)
    throw new WebhookVerificationError('A secret must be whsec_ followed by base64.');
  const start = encoder.encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(start.length + body.length);
  signed.set(start);
  signed.set(body, start.length);
  return isSignedByAny(keys, signatures, signed);
}

async function isSignedByAny(
  keys: readonly Uint8Array[],
  signatures: readonly Uint8Array[],
  signed: Uint8Array,
): Promise<boolean> {
  const results: boolean[] = [];
  for (const bytes of keys) {
    const algorithm = { name: 'HMAC', hash: 'SHA-256' };
    const key = await crypto.subtle.importKey('raw', source(bytes), algorithm, false, ['verify']);
    // WebCrypto compares in constant time. All are tried, so that the time does not reveal which one matches.
    for (const signature of signatures)
      results.push(await crypto.subtle.verify('HMAC', key, source(signature), source(signed)));
  }
  return results.includes(true);
}

/** The bytes with the type that WebCrypto requires. */
const source = (bytes: Uint8Array) => bytes as Uint8Array<ArrayBuffer>;

function bytesOf(base64: string): Uint8Array | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return null;
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    return null;
  }
}

/** @throws WebhookVerificationError if it is missing or was sent twice */
function header(headers: Delivery['headers'], name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  if (typeof value !== 'string' || value === '')
    throw new WebhookVerificationError(`The header ${name} is missing.`);
  return value;
}
