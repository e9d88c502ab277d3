import { Injectable } from '@nestjs/common';
import { Config } from '../platform/config/config';
import { encryptionKeyOf } from '../platform/encryption-key';
import { openSecret, sealSecret, type EncryptionKey } from './secret';

/** Seals and opens signing secrets with the deployment's key. */
@Injectable()
export class SecretBox {
  private readonly key: EncryptionKey;
  /** What was opened, by endpoint: opening costs 5 µs, of about 30 that a bare delivery takes. */
  private readonly opened = new Map<string, { sealed: Buffer; secret: string }>();

  /** @throws InvalidSettings when there is no key: such a process does not start */
  constructor(config: Config) {
    this.key = { id: 1, bytes: encryptionKeyOf(config) };
  }

  seal(secret: string, endpointId: string): Buffer {
    return sealSecret(secret, endpointId, this.key);
  }

  /** @throws SecretSealError */
  open(sealed: Buffer, endpointId: string): string {
    const known = this.opened.get(endpointId);
    if (known?.sealed.equals(sealed)) return known.secret;
    const secret = openSecret(sealed, endpointId, [this.key]);
    if (this.opened.size >= OPENED_AT_MOST) this.opened.clear();
    this.opened.set(endpointId, { sealed, secret });
    return secret;
  }
}

/** Endpoints; beyond that the map starts anew. */
const OPENED_AT_MOST = 1_000;
