import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Config } from '../platform/config/config';
import { SecretBox } from './secret-box';

/** How many stored secrets there are, and how many of them this deployment's key does not open. */
export interface SealedSecrets {
  total: number;
  unreadable: number;
}

/** Tries the deployment's key on what is stored: a changed ENCRYPTION_KEY is else noticed at the next delivery. */
@Injectable()
export class SealedSecretsService {
  constructor(
    private readonly database: DataSource,
    private readonly box: SecretBox,
  ) {}

  /** For tools that run without the modules. @throws InvalidSettings when there is no key */
  static on(database: DataSource, config: Config): SealedSecretsService {
    return new SealedSecretsService(database, new SecretBox(config));
  }

  /** Looks at the newest endpoints first, and at no more of them than takes a moment. */
  async look(): Promise<SealedSecrets> {
    const rows = await this.database.query<{ id: string; secret: Buffer }[]>(NEWEST);
    const unreadable = rows.filter(({ id, secret }) => !this.opens(secret, id)).length;
    return { total: rows.length, unreadable };
  }

  private opens(sealed: Buffer, endpointId: string): boolean {
    try {
      this.box.open(sealed, endpointId);
      return true;
    } catch {
      return false;
    }
  }
}

const NEWEST = `
SELECT id, secret FROM webhook_endpoints WHERE deleted_at IS NULL ORDER BY created_at DESC LIMIT 1000`;

/** The sentence for operators; null when all is well. */
export function sealedSecretsFault({ total, unreadable }: SealedSecrets): string | null {
  if (unreadable === 0) return null;
  const some = unreadable === total ? `None of the ${total}` : `${unreadable} of the ${total}`;
  const verb = unreadable === total ? 'opens' : 'do not open';
  return `${some} webhook secrets ${verb} with this ENCRYPTION_KEY: deliveries to their endpoints wait. Start with the key with which they were sealed, or give these endpoints new secrets.`;
}
