import { Injectable } from '@nestjs/common';
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Config } from '../../platform/config/config';
import { encryptionKeysOf } from '../../platform/encryption-key';
import { emailKey } from '../accounts/email.rules';

/**
 * Browsers that have signed in to an account before. Each carries a signed cookie, and its sign-ins to that account
 * are counted by themselves: nobody who guesses elsewhere can lock the account's owner out.
 */
@Injectable()
export class KnownDevicesService {
  private readonly keys: readonly Buffer[];

  constructor(config: Config) {
    this.keys = encryptionKeysOf(config);
  }

  /** The value of a cookie for a browser that has just signed in to the account of this address. */
  issue(email: string): string {
    const id = randomBytes(16).toString('base64url');
    return `${id}.${mac(this.keys[0] as Buffer, id, email).toString('base64url')}`;
  }

  /** The id of the browser; null when the cookie was not issued for this address. */
  read(cookie: string | null, email: string): string | null {
    const [id = '', given = ''] = cookie?.split('.') ?? [];
    const presented = Buffer.from(given, 'base64url');
    const isIssued = this.keys.some((key) => {
      const issued = mac(key, id, email);
      return issued.length === presented.length && timingSafeEqual(issued, presented);
    });
    return isIssued ? id : null;
  }
}

const mac = (key: Buffer, id: string, email: string) =>
  createHmac('sha256', key)
    .update(`known device ${id} ${emailKey(email)}`)
    .digest();
