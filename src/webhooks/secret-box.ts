import { Injectable } from '@nestjs/common';
import { Config } from '../platform/config/config';
import { encryptionKeyOf } from '../platform/encryption-key';
import { openSecret, sealSecret, type EncryptionKey } from './secret';

/** Seals and opens signing secrets with the deployment's key. */
@Injectable()
export class SecretBox {
  private readonly key: EncryptionKey;

  /** @throws InvalidSettings when there is no key: such a process does not start */
  constructor(config: Config) {
    this.key = { id: 1, bytes: encryptionKeyOf(config) };
  }

  seal(secret: string, endpointId: string): Buffer {
    return sealSecret(secret, endpointId, this.key);
  }

  /** @throws SecretSealError */
  open(sealed: Buffer, endpointId: string): string {
    return openSecret(sealed, endpointId, [this.key]);
  }
}
