import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import type { Config } from '../../platform/config/config';
import { generateSecret, SecretBox } from './secret-box';

const KEY = randomBytes(32);
const ENDPOINT = '019a9f3e-6c00-7000-8000-000000000001';

const boxOf = (...encryptionKeys: Buffer[]) =>
  new SecretBox({ encryptionKeys } as unknown as Config);
const box = boxOf(KEY);
const CANNOT_BE_OPENED = 'The webhook secret cannot be opened: ENCRYPTION_KEY is not the key';

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
        expect(box.open(box.seal(secret, endpointId), endpointId)).toBe(secret);
      }),
    );
  });

  it('sealing a webhook secret twice gives different bytes without the secret', () => {
    const secret = generateSecret();
    const sealed = box.seal(secret, ENDPOINT);
    expect(sealed.equals(box.seal(secret, ENDPOINT))).toBe(false);
    expect(sealed.includes(secret)).toBe(false);
    expect(sealed).toHaveLength(1 + 12 + 16 + secret.length);
    expect(sealed[0]).toBe(1);
  });

  it('a sealed webhook secret does not open for another endpoint', () => {
    const sealed = box.seal(generateSecret(), ENDPOINT);
    expect(() => box.open(sealed, `${ENDPOINT}x`)).toThrow(CANNOT_BE_OPENED);
  });

  it('a sealed webhook secret with a changed byte does not open', () => {
    const sealed = box.seal(generateSecret(), ENDPOINT);
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed);
      changed[at]! ^= 0x01;
      expect(() => box.open(changed, ENDPOINT)).toThrow(CANNOT_BE_OPENED);
    }
    for (let length = 0; length < sealed.length; length++) {
      expect(() => box.open(sealed.subarray(0, length), ENDPOINT)).toThrow(CANNOT_BE_OPENED);
    }
  });

  it('a webhook secret sealed under the old key opens while both keys are configured', () => {
    const next = randomBytes(32);
    const secret = generateSecret();
    const old = box.seal(secret, ENDPOINT);
    expect(boxOf(next, KEY).open(old, ENDPOINT)).toBe(secret);
    expect(boxOf(next, KEY).open(boxOf(next).seal(secret, ENDPOINT), ENDPOINT)).toBe(secret);
    expect(() => boxOf(next).open(old, ENDPOINT)).toThrow(CANNOT_BE_OPENED);
  });

  it('errors about webhook secrets contain neither secret nor key', () => {
    const secret = generateSecret();
    const sealed = box.seal(secret, ENDPOINT);
    const wrong = Buffer.from('0123456789abcdef0123456789abcdef');
    const short = wrong.subarray(1);
    const keyTexts = [wrong, short].flatMap((key) =>
      (['utf8', 'hex', 'base64'] as const).map((form) => key.toString(form).slice(2, 18)),
    );
    const failures = [
      () => boxOf(wrong).open(sealed, ENDPOINT),
      () => boxOf(wrong).open(sealed.subarray(1), ENDPOINT),
      () => boxOf(short).seal(secret, ENDPOINT),
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
          for (const part of keyTexts) expect(text).not.toContain(part);
        }
      }
    }
  });
});
