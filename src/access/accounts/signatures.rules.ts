import { createHmac, timingSafeEqual } from 'node:crypto';

/** What the service hands out and recognises later without storing it: text with an HMAC by its encryption key. */
export const signatureOf = ([key]: readonly Buffer[], text: string): string =>
  hmac(key as Buffer, text).toString('base64url');

/** Whether a signature is that of the text, by any of the keys. */
export function isSignatureOf(keys: readonly Buffer[], text: string, signature: string): boolean {
  const given = Buffer.from(signature, 'base64url');
  return keys.some((key) => {
    const expected = hmac(key, text);
    return expected.length === given.length && timingSafeEqual(expected, given);
  });
}

const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest();
