import { Injectable } from '@nestjs/common';
import { DataSource, IsNull } from 'typeorm';
import type { Config } from '../../platform/config/config';
import { Conflict } from '../../platform/errors/domain-errors';
import { Precondition } from '../../platform/http/request/precondition';
import { type EndpointWithSecrets, WebhookEndpoint } from './endpoint.entity';
import { findWithSecrets, lockEndpoints, newestSecrets, type SealedRow } from './endpoint.queries';
import type { Owner } from './endpoint.rules';
import type { VersionedEndpoint } from './endpoints.dto';
import { EndpointsService } from './endpoints.service';
import { generateSecret, SecretBox } from './secret-box';

/**
 * Rotates signing secrets so that receivers can always verify. `X-Service-Signature` has only one signature, so there
 * are three steps: stage, promote, retire. Between the first and the last `webhook-signature` has both.
 */
@Injectable()
export class EndpointSecretsService {
  constructor(
    private readonly endpoints: EndpointsService,
    private readonly box: SecretBox,
  ) {}

  /**
   * Makes the next secret; staging again replaces it. This is the only time `secret` is shown in plain text.
   * @throws NotFound; Conflict while an old secret waits to be retired
   */
  async stage(
    owner: Owner,
    id: string,
    expected?: Precondition,
  ): Promise<{ endpoint: VersionedEndpoint; secret: string }> {
    const secret = generateSecret();
    const endpoint = await this.rotate(owner, id, expected, 'staged', (current) => {
      if (current.rotation === 'retiring')
        throw new Conflict(
          'The old secret of the last rotation is still in use: retire it first.',
          'wrong-rotation-step',
        );
      // The id as it is stored, which decrypts the secret; that of a request may be in capital letters.
      return { otherSecret: this.box.seal(secret, current.id), rotation: 'staged' };
    });
    return { endpoint, secret };
  }

  /** From now on the staged secret signs `X-Service-Signature`. @throws NotFound; Conflict without one */
  promote(owner: Owner, id: string, expected?: Precondition): Promise<VersionedEndpoint> {
    return this.rotate(owner, id, expected, 'promoted', ({ rotation, secret, otherSecret }) => {
      if (rotation !== 'staged' || !otherSecret)
        throw new Conflict(
          'There is no staged secret to promote: stage one first.',
          'wrong-rotation-step',
        );
      return { secret: otherSecret, otherSecret: secret, rotation: 'retiring' };
    });
  }

  /** From now on the old secret signs nothing. @throws NotFound; Conflict without one */
  retire(owner: Owner, id: string, expected?: Precondition): Promise<VersionedEndpoint> {
    return this.rotate(owner, id, expected, 'retired', ({ rotation }) => {
      if (rotation !== 'retiring')
        throw new Conflict(
          'There is no old secret to retire: stage and promote a new one first.',
          'wrong-rotation-step',
        );
      return { otherSecret: null, rotation: null };
    });
  }

  /** @param done what happens to the secret, for the audit log */
  private rotate(
    owner: Owner,
    id: string,
    expected: Precondition | undefined,
    done: 'staged' | 'promoted' | 'retired',
    step: (
      endpoint: EndpointWithSecrets,
    ) => Partial<Pick<EndpointWithSecrets, 'secret' | 'otherSecret' | 'rotation'>>,
  ): Promise<VersionedEndpoint> {
    return this.endpoints.change(owner, id, expected, async (tx, endpoint) => {
      await tx.getRepository(WebhookEndpoint).update({ id }, step(endpoint));
      return [{ action: 'webhook.changed', detail: `secret ${done}` }];
    });
  }
}

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

  /** Checks the newest endpoints first, and only as many as take a moment. */
  async check(limit = 1_000): Promise<SealedSecrets> {
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
  const verb = unreadable === total ? 'can' : 'cannot';
  const some = unreadable === total ? `None of the ${total}` : `${unreadable} of the ${total}`;
  return `${some} webhook secrets ${verb} be decrypted with this ENCRYPTION_KEY: deliveries to their endpoints wait. Start with the key that encrypted them, or give these endpoints new secrets.`;
}
