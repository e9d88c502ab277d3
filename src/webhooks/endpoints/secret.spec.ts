import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { generateSecret, openSecret, sealSecret, SecretSealError } from './secret';

const KEY = randomBytes(32);
const ENDPOINT = '019a9f3e-6c00-7000-8000-000000000001';

function codeOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    expect(error).toBeInstanceOf(SecretSealError);
    return (error as SecretSealError).code;
  }
  return 'no error';
}

describe('webhook secrets', () => {
  it('a webhook secret is whsec_ and 32 random bytes in standard base64', () => {
    const secrets = Array.from({ length: 200 }, generateSecret);
    expect(new Set(secrets).size).toBe(200);
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
    }
  });

  it('a sealed webhook secret opens unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (secret, endpointId) => {
        expect(openSecret(sealSecret(secret, endpointId, KEY), endpointId, [KEY])).toBe(secret);
      }),
    );
  });

  it('sealing a webhook secret twice gives different bytes without the secret', () => {
    const secret = generateSecret();
    const sealed = sealSecret(secret, ENDPOINT, KEY);
    expect(sealed.equals(sealSecret(secret, ENDPOINT, KEY))).toBe(false);
    expect(sealed.includes(secret)).toBe(false);
    expect(sealed).toHaveLength(1 + 12 + 16 + secret.length);
    expect(sealed[0]).toBe(1);
  });

  it('a sealed webhook secret does not open for another endpoint', () => {
    const sealed = sealSecret(generateSecret(), ENDPOINT, KEY);
    expect(codeOf(() => openSecret(sealed, `${ENDPOINT}x`, [KEY]))).toBe('unreadable');
  });

  it('a sealed webhook secret with a changed byte does not open', () => {
    const sealed = sealSecret(generateSecret(), ENDPOINT, KEY);
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed);
      changed[at]! ^= 0x01;
      expect(codeOf(() => openSecret(changed, ENDPOINT, [KEY]))).toBe('unreadable');
    }
    for (let length = 0; length < sealed.length; length++) {
      expect(codeOf(() => openSecret(sealed.subarray(0, length), ENDPOINT, [KEY]))).toBe(
        'unreadable',
      );
    }
  });

  it('a webhook secret sealed under the old key opens while both keys are configured', () => {
    const next = randomBytes(32);
    const secret = generateSecret();
    const old = sealSecret(secret, ENDPOINT, KEY);
    expect(openSecret(old, ENDPOINT, [next, KEY])).toBe(secret);
    expect(openSecret(sealSecret(secret, ENDPOINT, next), ENDPOINT, [next, KEY])).toBe(secret);
    expect(codeOf(() => openSecret(old, ENDPOINT, [next]))).toBe('unreadable');
  });

  it('sealing webhook secrets needs a key of 32 bytes', () => {
    for (const bytes of [randomBytes(31), randomBytes(33), Buffer.alloc(0)]) {
      expect(codeOf(() => sealSecret('s', ENDPOINT, bytes))).toBe('invalid_key');
    }
  });

  it('errors about webhook secrets contain neither secret nor key', () => {
    const secret = generateSecret();
    const sealed = sealSecret(secret, ENDPOINT, KEY);
    const wrong = Buffer.from('0123456789abcdef0123456789abcdef');
    const failures = [
      () => openSecret(sealed, ENDPOINT, [wrong]),
      () => openSecret(sealed, ENDPOINT, []),
      () => sealSecret(secret, ENDPOINT, wrong.subarray(1)),
    ];
    for (const fail of failures) {
      try {
        fail();
        throw new Error('should have failed');
      } catch (error) {
        const { message, stack } = error as Error;
        expect(message).not.toContain('should have failed');
        for (const text of [message, stack ?? '']) {
          expect(text).not.toContain(secret.slice(6));
          expect(text).not.toContain('0123456789abcdef');
        }
      }
    }
  });
});
