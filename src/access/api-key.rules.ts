import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * The form of API keys: `svc_live_` or `svc_test_`, 32 random base62 characters (190 bits), and 6 more
 * that are the CRC32 of all before them. A mistyped key is so refused without a look-up.
 */
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const FORM = /^(svc_(?:live|test)_[0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;

export type KeyEnvironment = 'live' | 'test';

export function keyPrefix(environment: KeyEnvironment): string {
  return `svc_${environment}_`;
}

export function generateKey(environment: KeyEnvironment): string {
  const random = Array.from({ length: 32 }, () => ALPHABET[randomInt(62)]).join('');
  const body = keyPrefix(environment) + random;
  return body + checksum(body);
}

/** Whether text has the form of a key of this environment, its checksum included. */
export function isWellFormedKey(text: string, environment: KeyEnvironment): boolean {
  const [, body, sum] = FORM.exec(text) ?? [];
  return body !== undefined && body.startsWith(keyPrefix(environment)) && checksum(body) === sum;
}

/** What is stored and looked up. A plain hash is enough for 190 random bits. */
export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

function checksum(body: string): string {
  let rest = crc32(body);
  let digits = '';
  for (let place = 0; place < 6; place++) {
    digits = ALPHABET[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** Where a request may carry its key, in the order in which they count (contract). */
export function findKey(
  headers: { authorization?: string; 'x-api-key'?: string | string[] },
  query: Record<string, unknown>,
): string | null {
  const bearer = /^bearer +(.*)$/i.exec(headers.authorization?.trim() ?? '')?.[1];
  if (bearer !== undefined) return bearer;
  const header = headers['x-api-key'];
  if (header !== undefined) return typeof header === 'string' ? header.trim() : null;
  for (const name of ['api_key', 'apiKey']) {
    const given = Object.keys(query).find((key) => key === name || key.startsWith(`${name}[`));
    if (given === undefined) continue;
    const value = query[given];
    // Repeated or nested: an invalid key, not a choice between several.
    return given === name && typeof value === 'string' ? value : null;
  }
  return null;
}
