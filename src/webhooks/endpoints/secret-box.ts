import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config';
import { encryptionKeysOf } from '../../platform/encryption-key';
import { openSecret, sealSecret } from './secret';

/** Seals signing secrets with the deployment's key, and opens them with it and the one before it. */
@Injectable()
export class SecretBox {
  private readonly keys: readonly Buffer[];
  /** What was opened, by endpoint: opening costs 5 µs, of about 30 that a bare delivery takes. */
  private readonly opened = new Map<string, { sealed: Buffer; secret: string }>();

  /** @throws InvalidSettings when there is no key: such a process does not start */
  constructor(config: Config) {
    this.keys = encryptionKeysOf(config);
  }

  seal(secret: string, endpointId: string): Buffer {
    return sealSecret(secret, endpointId, this.keys[0] as Buffer);
  }

  /** Whether it is sealed with the key before the present one, and needs that key still. */
  isOld(sealed: Buffer, endpointId: string): boolean {
    if (this.keys.length === 1) return false;
    try {
      openSecret(sealed, endpointId, this.keys.slice(0, 1));
      return false;
    } catch {
      return true;
    }
  }

  /** @throws SecretSealError */
  open(sealed: Buffer, endpointId: string): string {
    const known = this.opened.get(endpointId);
    if (known?.sealed.equals(sealed)) return known.secret;
    const secret = openSecret(sealed, endpointId, this.keys);
    if (this.opened.size >= OPENED_AT_MOST) this.opened.clear();
    this.opened.set(endpointId, { sealed, secret });
    return secret;
  }
}

/** Endpoints; beyond that the map starts anew. */
const OPENED_AT_MOST = 1_000;
