import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Config } from '../../platform/config/config';
import { lockEndpoints } from './endpoint.queries';
import { SecretBox } from './secret-box';

/** How many endpoints were looked at, and with which of the deployment's keys their secrets open. */
export interface SealedSecrets {
  total: number;
  /** With none. */
  unreadable: number;
  /** With the second key only. */
  old: number;
}

interface SealedRow {
  id: string;
  secret: Buffer;
  other_secret: Buffer | null;
}

/** Tries the deployment's keys on what is stored: a changed ENCRYPTION_KEY is else noticed at the next delivery. */
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
  async look(limit = 1_000): Promise<SealedSecrets> {
    const rows = await this.read(this.database.manager, `ORDER BY created_at DESC LIMIT $1`, [
      limit,
    ]);
    const unreadable = rows.filter((row) => !this.opens(row));
    const old = rows.filter((row) => !unreadable.includes(row) && this.isOld(row));
    return { total: rows.length, unreadable: unreadable.length, old: old.length };
  }

  /**
   * Seals with the first key what is sealed with the second: that one can be removed then. What no key opens stays
   * as it is.
   */
  async reseal(): Promise<{ resealed: number; unreadable: number }> {
    const count = { resealed: 0, unreadable: 0 };
    for (const { id } of await this.read(this.database.manager))
      await this.database.transaction(async (tx) => {
        await lockEndpoints(tx, [id]);
        for (const row of await this.read(tx, `AND id = $1`, [id])) {
          if (!this.opens(row)) count.unreadable++;
          else if (this.isOld(row)) {
            const again = (sealed: Buffer | null) =>
              sealed && this.box.seal(this.box.open(sealed, id), id);
            await tx.query(
              `UPDATE webhook_endpoints SET secret = $2, other_secret = $3 WHERE id = $1`,
              [id, again(row.secret), again(row.other_secret)],
            );
            count.resealed++;
          }
        }
      });
    return count;
  }

  private read(tx: EntityManager, which = '', values: unknown[] = []): Promise<SealedRow[]> {
    return tx.query<SealedRow[]>(
      `SELECT id, secret, other_secret FROM webhook_endpoints WHERE deleted_at IS NULL ${which}`,
      values,
    );
  }

  private isOld(row: SealedRow): boolean {
    return sealedIn(row).some((sealed) => this.box.isOld(sealed, row.id));
  }

  private opens(row: SealedRow): boolean {
    try {
      for (const sealed of sealedIn(row)) this.box.open(sealed, row.id);
      return true;
    } catch {
      return false;
    }
  }
}

const sealedIn = ({ secret, other_secret }: SealedRow) =>
  other_secret ? [secret, other_secret] : [secret];

/** The sentence for operators; null when all is well. */
export function sealedSecretsError({ total, unreadable }: SealedSecrets): string | null {
  if (unreadable === 0) return null;
  const some = unreadable === total ? `None of the ${total}` : `${unreadable} of the ${total}`;
  const verb = unreadable === total ? 'opens' : 'do not open';
  return `${some} webhook secrets ${verb} with this ENCRYPTION_KEY: deliveries to their endpoints wait. Start with the key with which they were sealed, or give these endpoints new secrets.`;
}
