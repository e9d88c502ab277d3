import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config';
import { encryptionKeysOf } from '../../platform/encryption-key';

/**
 * A new signing secret: `whsec_` and the standard base64 of 32 random bytes (50 characters). Both headers can use it:
 * part 6 uses the whole text as key, Standard Webhooks the bytes.
 */
export function generateSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** How the bytes that follow are laid out. */
const VERSION = 1;
const HEADER_BYTES = 1 + NONCE_BYTES + TAG_BYTES;

/**
 * Encrypts signing secrets with the deployment's key, and decrypts them with that key and the previous one. A secret
 * is bound to its endpoint: copied to another endpoint's row it cannot be decrypted. No error contains a secret or a
 * key.
 */
@Injectable()
export class SecretBox {
  private readonly keys: readonly Buffer[];

  /** @throws InvalidSettings if there is no key: such a process does not start */
  constructor(config: Config) {
    this.keys = encryptionKeysOf(config);
  }

  /** @returns version (1 byte), nonce (12), tag (16), ciphertext */
  seal(secret: string, endpointId: string): Buffer {
    // 96 random bits: far from the 2^32 messages at which GCM nonces under one key become a risk.
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.keys[0] as Buffer, nonce);
    cipher.setAAD(Buffer.from(endpointId));
    const sealed = Buffer.concat([cipher.update(secret), cipher.final()]);
    return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), sealed]);
  }

  /** @throws Error if no key decrypts it, it was encrypted for another endpoint, or the stored bytes were altered */
  open(sealed: Buffer, endpointId: string): string {
    const opened = this.tryKeys(sealed, endpointId);
    if (!opened)
      throw new Error(
        'The webhook secret cannot be opened: ENCRYPTION_KEY is not the key it was sealed with, or the stored value was altered.',
      );
    return opened.secret;
  }

  /** The secret and whether the previous key was needed; null if no key decrypts it. */
  tryKeys(sealed: Buffer, endpointId: string): { secret: string; isOld: boolean } | null {
    for (const key of this.keys) {
      const secret = openWith(key, sealed, endpointId);
      if (secret !== null) return { secret, isOld: key !== this.keys[0] };
    }
    return null;
  }
}

function openWith(key: Buffer, sealed: Buffer, endpointId: string): string | null {
  if (sealed[0] !== VERSION || sealed.length < HEADER_BYTES) return null;
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(endpointId));
  decipher.setAuthTag(sealed.subarray(1 + NONCE_BYTES, HEADER_BYTES));
  const opened = decipher.update(sealed.subarray(HEADER_BYTES));
  try {
    return Buffer.concat([opened, decipher.final()]).toString();
  } catch {
    return null;
  }
}
