import { Injectable } from '@nestjs/common';
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { Config } from '../../platform/config/config';
import { encryptionKeysOf } from '../../platform/encryption-key';

/**
 * A new signing secret: `whsec_` and the standard base64 of 32 random bytes (50 characters). That
 * form serves both headers: part 6 keys with the whole text, Standard Webhooks with the bytes.
 */
export function generateSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** The form of what follows. */
const FORM = 1;
const HEADER_BYTES = 1 + NONCE_BYTES + TAG_BYTES;
/** Endpoints; beyond that the map of opened secrets is emptied. */
const OPENED_AT_MOST = 1_000;

/**
 * Seals signing secrets with the deployment's key, and opens them with it and the one before it. A secret is bound
 * to its endpoint: copied to another endpoint's row it does not open. No error contains a secret or a key.
 */
@Injectable()
export class SecretBox {
  private readonly keys: readonly Buffer[];
  /** What was opened, by endpoint: opening costs 5 µs, of about 30 that a bare delivery takes. */
  private readonly opened = new Map<string, { sealed: Buffer; secret: string }>();

  /** @throws InvalidSettings when there is no key: such a process does not start */
  constructor(config: Config) {
    this.keys = encryptionKeysOf(config);
  }

  /** @returns form (1 byte), nonce (12), tag (16), ciphertext */
  seal(secret: string, endpointId: string): Buffer {
    // 96 random bits: far from the 2^32 messages at which GCM nonces under one key become a risk.
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.keys[0] as Buffer, nonce);
    cipher.setAAD(Buffer.from(endpointId));
    const sealed = Buffer.concat([cipher.update(secret), cipher.final()]);
    return Buffer.concat([Buffer.of(FORM), nonce, cipher.getAuthTag(), sealed]);
  }

  /** @throws Error when no key opens it, it was sealed for another endpoint, or the stored bytes were altered */
  open(sealed: Buffer, endpointId: string): string {
    const known = this.opened.get(endpointId);
    if (known?.sealed.equals(sealed)) return known.secret;
    const opened = this.tryKeys(sealed, endpointId);
    if (!opened)
      throw new Error(
        'The webhook secret cannot be opened: ENCRYPTION_KEY is not the key it was sealed with, or the stored value was altered.',
      );
    if (this.opened.size >= OPENED_AT_MOST) this.opened.clear();
    this.opened.set(endpointId, { sealed, secret: opened.secret });
    return opened.secret;
  }

  /** The secret and whether the key before the present one was needed; null when no key opens it. */
  tryKeys(sealed: Buffer, endpointId: string): { secret: string; isOld: boolean } | null {
    for (const key of this.keys) {
      const secret = openWith(key, sealed, endpointId);
      if (secret !== null) return { secret, isOld: key !== this.keys[0] };
    }
    return null;
  }
}

function openWith(key: Buffer, sealed: Buffer, endpointId: string): string | null {
  if (sealed[0] !== FORM || sealed.length < HEADER_BYTES) return null;
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
