import { Injectable } from '@nestjs/common';
import { DataSource, IsNull } from 'typeorm';
import type { Config } from '../../platform/config/config';
import { WebhookEndpoint } from './endpoint.entity';
import { findWithSecrets, lockEndpoints, newestSecrets, type SealedRow } from './endpoint.queries';
import { SecretBox } from './secret-box';

/** How many endpoints were checked, and which of the deployment's keys decrypt their secrets. */
export interface SealedSecrets {
  total: number;
  /** No key. */
  unreadable: number;
  /** Only the second key. */
  old: number;
}

/**
 * Tries the deployment's keys on stored secrets: otherwise a changed ENCRYPTION_KEY is only noticed at the next
 * delivery.
 */
@Injectable()
export class SealedSecretsService {
  constructor(
    private readonly database: DataSource,
    private readonly box: SecretBox,
  ) {}

  /** For tools that run without the modules. @throws InvalidSettings if there is no key */
  static on(database: DataSource, config: Config): SealedSecretsService {
    return new SealedSecretsService(database, new SecretBox(config));
  }

  /** Checks the newest endpoints first, and only as many as take a moment. @param limit null: all */
  async check(limit: number | null = 1_000): Promise<SealedSecrets> {
    const rows = await newestSecrets(this.database, limit);
    const states = rows.map((row) => this.open(row)?.isOld);
    return {
      total: rows.length,
      unreadable: states.filter((isOld) => isOld === undefined).length,
      old: states.filter((isOld) => isOld).length,
    };
  }

  /**
   * Encrypts with the first key what was encrypted with the second, which can then be removed. Secrets that no key
   * decrypts do not change.
   */
  async reseal(): Promise<{ resealed: number; unreadable: number }> {
    const count = { resealed: 0, unreadable: 0 };
    for (const { id } of await newestSecrets(this.database, null))
      await this.database.transaction(async (tx) => {
        await lockEndpoints(tx, [id]);
        const row = await findWithSecrets(tx.getRepository(WebhookEndpoint), {
          id,
          deletedAt: IsNull(),
        });
        if (!row) return;
        const opened = this.open(row);
        if (!opened) count.unreadable++;
        else if (opened.isOld) {
          const [secret, otherSecret = null] = opened.secrets.map((it) => this.box.seal(it, id));
          await tx.update(WebhookEndpoint, { id }, { secret, otherSecret });
          count.resealed++;
        }
      });
    return count;
  }

  /** The one or two secrets of an endpoint; null if one of them cannot be decrypted. */
  private open({ id, secret, otherSecret }: SealedRow) {
    const opened = [secret, ...(otherSecret ? [otherSecret] : [])].map((sealed) =>
      this.box.tryKeys(sealed, id),
    );
    const known = opened.filter((it) => it !== null);
    if (known.length < opened.length) return null;
    return { secrets: known.map((it) => it.secret), isOld: known.some(({ isOld }) => isOld) };
  }
}

/** The sentence for operators; null if there is no problem. */
export function sealedSecretsError({ total, unreadable }: SealedSecrets): string | null {
  if (unreadable === 0) return null;
  const secrets =
    unreadable === total
      ? 'No webhook secret can'
      : `${unreadable} of ${total} webhook secrets cannot`;
  return `${secrets} be decrypted with this ENCRYPTION_KEY: deliveries to their endpoints wait. Start with the key that encrypted them, or give these endpoints new secrets.`;
}
