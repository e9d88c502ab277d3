import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * The form of API keys: `svc_live_` or `svc_test_`, 32 random base62 characters (190 bits), and 6 more that are the
 * CRC32 of all before them, so a mistyped key is refused without a look-up.
 */
const FORM = /^(svc_(?:live|test)_[0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;

export type KeyEnvironment = 'live' | 'test';

export function keyPrefix(environment: KeyEnvironment): string {
  return `svc_${environment}_`;
}

/** What lists and the audit log show of a key: `svc_live_…3f9a`. */
export const maskedKey = (key: { prefix: string; lastFour: string }): string =>
  `${key.prefix}…${key.lastFour}`;

export function generateKey(environment: KeyEnvironment): string {
  const random = Array.from({ length: 32 }, () => ALPHABET[randomInt(62)]).join('');
  const body = keyPrefix(environment) + random;
  return body + checksum(body);
}

/** Whether text has the form of a key of this environment, including its checksum. */
export function isWellFormedKey(text: string, environment: KeyEnvironment): boolean {
  const [, body, sum] = FORM.exec(text) ?? [];
  return body !== undefined && body.startsWith(keyPrefix(environment)) && checksum(body) === sum;
}

/** What is stored and looked up. A plain hash is enough for 190 random bits. */
export function hashKey(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

/** The same in base64, to find a key in memory. */
export function hashKeyBase64(key: string): string {
  return hash('sha256', key, 'base64');
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

/**
 * The key of a request, from the first place that has one (contract). A place without a valid key, and a query key
 * that is repeated or nested, make the key invalid: several keys are never compared.
 */
export function findKey(
  headers: { authorization?: string; 'x-api-key'?: string | string[] },
  query: Record<string, unknown>,
): string | null {
  const bearer = /^bearer(?: (.*))?$/i.exec(headers.authorization?.trim() ?? '');
  if (bearer) return bearer[1]?.trimStart() ?? null;
  const header = headers['x-api-key'];
  if (header !== undefined) return typeof header === 'string' ? header.trim() : null;
  for (const name of ['api_key', 'apiKey']) {
    const given = Object.keys(query).filter((key) => key === name || key.startsWith(`${name}[`));
    if (given.length === 0) continue;
    const value = query[name];
    return given.length === 1 && typeof value === 'string' ? value : null;
  }
  return null;
}
