import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** A 32-byte key that seals webhook secrets (`ENCRYPTION_KEY`), with the number it goes by. */
export interface EncryptionKey {
  /** 1 to 255, stored with everything the key seals. The first key of a deployment is 1. */
  readonly id: number;
  readonly bytes: Uint8Array;
}

/** A secret could not be sealed or opened. The message names the remedy, never secret or key. */
export class SecretSealError extends Error {
  constructor(
    readonly code: 'invalid_key' | 'unknown_key' | 'unreadable',
    message: string,
  ) {
    super(message);
    this.name = 'SecretSealError';
  }
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + NONCE_BYTES + TAG_BYTES;

/**
 * A new signing secret: `whsec_` and the standard base64 of 32 random bytes (50 characters). That
 * form serves both headers: part 6 keys with the whole text, Standard Webhooks with the bytes.
 */
export function generateSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/**
 * Encrypts a secret for storage with AES-256-GCM, bound to its endpoint: copied to another
 * endpoint's row it does not open.
 *
 * @returns key id (1 byte), nonce (12), tag (16), ciphertext
 * @throws SecretSealError `invalid_key`
 */
export function sealSecret(secret: string, endpointId: string, key: EncryptionKey): Buffer {
  assertUsable(key);
  // 96 random bits: far from the 2^32 messages at which GCM nonces under one key become a risk.
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key.bytes, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(endpointId, 'utf8'));
  const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.of(key.id), nonce, cipher.getAuthTag(), sealed]);
}

/**
 * Decrypts what `sealSecret` made.
 *
 * @param keys every key in use: during a rotation the new one and those before it
 * @throws SecretSealError `unknown_key` when the sealing key is not among them; `unreadable` when the
 *   key has other bytes, the endpoint is another one, or the stored bytes were altered
 */
export function openSecret(
  sealed: Uint8Array,
  endpointId: string,
  keys: readonly EncryptionKey[],
): string {
  const keyId = sealed[0];
  if (keyId === undefined || sealed.length < HEADER_BYTES) throw unreadable();
  const key = keys.find(({ id }) => id === keyId);
  if (!key) {
    throw new SecretSealError(
      'unknown_key',
      `The webhook secret was sealed with encryption key number ${keyId}, which is not configured.`,
    );
  }
  assertUsable(key);
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, key.bytes, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(endpointId, 'utf8'));
  decipher.setAuthTag(sealed.subarray(1 + NONCE_BYTES, HEADER_BYTES));
  const opened = decipher.update(sealed.subarray(HEADER_BYTES));
  try {
    return Buffer.concat([opened, decipher.final()]).toString('utf8');
  } catch {
    // Node's own message says nothing of the cause; ours names the two that happen.
    throw unreadable();
  }
}

function unreadable(): SecretSealError {
  return new SecretSealError(
    'unreadable',
    'The webhook secret cannot be opened: ENCRYPTION_KEY is not the key it was sealed with, or the stored value was altered.',
  );
}

function assertUsable(key: EncryptionKey): void {
  if (key.bytes.length !== 32) {
    throw new SecretSealError(
      'invalid_key',
      `ENCRYPTION_KEY must be exactly 32 bytes; it has ${key.bytes.length}.`,
    );
  }
  if (!Number.isInteger(key.id) || key.id < 1 || key.id > 255) {
    throw new SecretSealError('invalid_key', 'An encryption key number must be from 1 to 255.');
  }
}
