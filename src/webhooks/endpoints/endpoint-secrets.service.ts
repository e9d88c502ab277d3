import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Config } from '../../platform/config/config';
import { Conflict } from '../../platform/errors/domain-errors';
import { endpointView, WebhookEndpoint, type EndpointView, type Owner } from './endpoint.entity';
import { lockEndpoints } from './endpoint.queries';
import { EndpointsService } from './endpoints.service';
import { generateSecret, SecretBox } from './secret-box';

/**
 * Rotates signing secrets without a moment in which a receiver can verify nothing. `X-Service-Signature`
 * carries one signature only, so there are three steps: stage, promote, retire. From the first to the last
 * `webhook-signature` carries both.
 */
@Injectable()
export class EndpointSecretsService {
  constructor(
    private readonly database: DataSource,
    private readonly endpoints: EndpointsService,
    private readonly box: SecretBox,
  ) {}

  /**
   * Makes the next secret; staging again replaces it. `secret` is its only appearance in clear.
   * @throws NotFound; Conflict while an old secret waits to be retired
   */
  async stage(owner: Owner, id: string): Promise<{ endpoint: EndpointView; secret: string }> {
    const secret = generateSecret();
    const endpoint = await this.rotate(owner, id, ({ rotation, secret: current }) => {
      if (rotation === 'retiring')
        throw new Conflict('The old secret of the last rotation is still in use: retire it first.');
      return { secret: current, otherSecret: this.box.seal(secret, id), rotation: 'staged' };
    });
    return { endpoint, secret };
  }

  /** The staged secret signs `X-Service-Signature` from now on. @throws NotFound; Conflict without one */
  promote(owner: Owner, id: string): Promise<EndpointView> {
    return this.rotate(owner, id, ({ rotation, secret, otherSecret }) => {
      if (rotation !== 'staged' || !otherSecret)
        throw new Conflict('There is no staged secret to promote: stage one first.');
      return { secret: otherSecret, otherSecret: secret, rotation: 'retiring' };
    });
  }

  /** The old secret signs nothing from now on. @throws NotFound; Conflict without one */
  retire(owner: Owner, id: string): Promise<EndpointView> {
    return this.rotate(owner, id, ({ rotation, secret }) => {
      if (rotation !== 'retiring')
        throw new Conflict('There is no old secret to retire: stage and promote a new one first.');
      return { secret, otherSecret: null, rotation: null };
    });
  }

  private async rotate(
    owner: Owner,
    id: string,
    step: (
      endpoint: WebhookEndpoint,
    ) => Pick<WebhookEndpoint, 'secret' | 'otherSecret' | 'rotation'>,
  ): Promise<EndpointView> {
    await this.endpoints.get(owner, id);
    return this.database.transaction(async (tx) => {
      await lockEndpoints(tx, [id]);
      const endpoints = tx.getRepository(WebhookEndpoint);
      const endpoint = await endpoints.findOneByOrFail({ id });
      const next = step(endpoint);
      await endpoints.update({ id }, next);
      return endpointView({ ...endpoint, ...next });
    });
  }
}

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
    const newest = `ORDER BY created_at DESC LIMIT $1`;
    const rows = await this.read(this.database.manager, newest, [limit]);
    const states = rows.map((row) => this.open(row)?.isOld);
    return {
      total: rows.length,
      unreadable: states.filter((isOld) => isOld === undefined).length,
      old: states.filter((isOld) => isOld).length,
    };
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
          const opened = this.open(row);
          if (!opened) count.unreadable++;
          else if (opened.isOld) {
            const [secret, other = null] = opened.secrets.map((it) => this.box.seal(it, id));
            await tx.query(
              `UPDATE webhook_endpoints SET secret = $2, other_secret = $3 WHERE id = $1`,
              [id, secret, other],
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

  /** The one or two secrets of an endpoint; null when one of them does not open. */
  private open({ id, secret, other_secret }: SealedRow) {
    const opened = [secret, ...(other_secret ? [other_secret] : [])].map((sealed) =>
      this.box.tryKeys(sealed, id),
    );
    const known = opened.filter((it) => it !== null);
    if (known.length < opened.length) return null;
    return { secrets: known.map((it) => it.secret), isOld: known.some(({ isOld }) => isOld) };
  }
}

/** The sentence for operators; null when all is well. */
export function sealedSecretsError({ total, unreadable }: SealedSecrets): string | null {
  if (unreadable === 0) return null;
  const some = unreadable === total ? `None of the ${total}` : `${unreadable} of the ${total}`;
  const verb = unreadable === total ? 'opens' : 'do not open';
  return `${some} webhook secrets ${verb} with this ENCRYPTION_KEY: deliveries to their endpoints wait. Start with the key with which they were sealed, or give these endpoints new secrets.`;
}
