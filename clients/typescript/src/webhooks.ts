import { QuizServiceError } from './errors.ts';
import type { WebhookEvent } from './types.ts';

/** It was not signed by the service with this secret, or it is too old. Answer 400 and do nothing. */
export class WebhookVerificationError extends QuizServiceError {}

export interface Delivery {
  /** The bytes as they arrived, before anything parsed them. */
  body: string | Uint8Array;
  /** Of the request: Node's `request.headers`, a `Headers`, or names with values. */
  headers: Headers | Record<string, string | string[] | undefined>;
  /** `whsec_…`. While it is being rotated, both: one that fits is enough. */
  secret: string | readonly string[];
  /**
   * `timestamped` (unless said otherwise) checks `webhook-signature`, which cannot be played again later. `body` checks
   * `X-Service-Signature`, for where only that header arrives.
   */
  signature?: 'timestamped' | 'body';
  /** How far the delivery's time may be from now, in seconds: 300. */
  tolerance?: number;
  /** The present, for tests. */
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
  const good =
    delivery.signature === 'body'
      ? await signsBody(delivery, body, secrets)
      : await signsMoment(delivery, body, secrets);
  if (!good)
    throw new WebhookVerificationError('The signature is not one of this body and this secret.');
  return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent;
}

/** `X-Service-Signature`: of the body, by the secret's text. */
async function signsBody(
  { headers }: Delivery,
  body: Uint8Array,
  secrets: readonly string[],
): Promise<boolean> {
  const hex = /^sha256=([0-9a-f]{64})$/.exec(header(headers, 'x-service-signature'))?.[1];
  if (hex === undefined)
    throw new WebhookVerificationError('X-Service-Signature is not sha256= and 64 hex digits.');
  const signature = Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16));
  const keys = secrets.map((secret) => encoder.encode(secret));
  return anySigns(keys, [signature], body);
}

/** `webhook-signature`: of the id, the time and the body, by the secret's bytes (Standard Webhooks). */
async function signsMoment(
  { headers, tolerance = 300, now = new Date() }: Delivery,
  body: Uint8Array,
  secrets: readonly string[],
): Promise<boolean> {
  const id = header(headers, 'webhook-id');
  const timestamp = header(headers, 'webhook-timestamp');
  if (!/^\d{1,12}$/.test(timestamp))
    throw new WebhookVerificationError('webhook-timestamp is no time in seconds.');
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
    throw new WebhookVerificationError('A secret is not whsec_ and base64.');
  const start = encoder.encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(start.length + body.length);
  signed.set(start);
  signed.set(body, start.length);
  return anySigns(keys, signatures, signed);
}

async function anySigns(
  keys: readonly Uint8Array[],
  signatures: readonly Uint8Array[],
  signed: Uint8Array,
): Promise<boolean> {
  const results: boolean[] = [];
  for (const bytes of keys) {
    const algorithm = { name: 'HMAC', hash: 'SHA-256' };
    const key = await crypto.subtle.importKey('raw', source(bytes), algorithm, false, ['verify']);
    // WebCrypto compares in constant time. All are tried, so that the time does not tell which one fits.
    for (const signature of signatures)
      results.push(await crypto.subtle.verify('HMAC', key, source(signature), source(signed)));
  }
  return results.includes(true);
}

/** The bytes as WebCrypto's types want them. */
const source = (bytes: Uint8Array) => bytes as Uint8Array<ArrayBuffer>;

function bytesOf(base64: string): Uint8Array | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return null;
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    return null;
  }
}

/** @throws WebhookVerificationError where it is missing or was sent twice */
function header(headers: Delivery['headers'], name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  if (typeof value !== 'string' || value === '')
    throw new WebhookVerificationError(`The header ${name} is missing.`);
  return value;
}
