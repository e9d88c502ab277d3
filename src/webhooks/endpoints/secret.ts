import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** A secret could not be sealed or opened. The message names the remedy, never secret or key. */
export class SecretSealError extends Error {
  constructor(
    readonly code: 'invalid_key' | 'unreadable',
    message: string,
  ) {
    super(message);
    this.name = 'SecretSealError';
  }
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** The form of what follows. */
const FORM = 1;
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
 * @param key 32 bytes, of `ENCRYPTION_KEY`
 * @returns form (1 byte), nonce (12), tag (16), ciphertext
 * @throws SecretSealError `invalid_key`
 */
export function sealSecret(secret: string, endpointId: string, key: Uint8Array): Buffer {
  assertUsable(key);
  // 96 random bits: far from the 2^32 messages at which GCM nonces under one key become a risk.
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(endpointId, 'utf8'));
  const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.of(FORM), nonce, cipher.getAuthTag(), sealed]);
}

/**
 * Decrypts what `sealSecret` made.
 *
 * @param keys every key in use: during a change of keys the new one and the one before it
 * @throws SecretSealError `unreadable` when the sealing key is not among them, the endpoint is another one, or the
 *   stored bytes were altered
 */
export function openSecret(
  sealed: Uint8Array,
  endpointId: string,
  keys: readonly Uint8Array[],
): string {
  if (sealed[0] === FORM && sealed.length >= HEADER_BYTES)
    for (const key of keys) {
      const opened = openWith(key, sealed, endpointId);
      if (opened !== null) return opened;
    }
  throw new SecretSealError(
    'unreadable',
    'The webhook secret cannot be opened: ENCRYPTION_KEY is not the key it was sealed with, or the stored value was altered.',
  );
}

function openWith(key: Uint8Array, sealed: Uint8Array, endpointId: string): string | null {
  assertUsable(key);
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(endpointId, 'utf8'));
  decipher.setAuthTag(sealed.subarray(1 + NONCE_BYTES, HEADER_BYTES));
  const opened = decipher.update(sealed.subarray(HEADER_BYTES));
  try {
    return Buffer.concat([opened, decipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}

function assertUsable(key: Uint8Array): void {
  if (key.length !== 32)
    throw new SecretSealError(
      'invalid_key',
      `ENCRYPTION_KEY must be exactly 32 bytes; it has ${key.length}.`,
    );
}
