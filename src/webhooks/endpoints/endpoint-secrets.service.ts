import { Injectable } from '@nestjs/common';
import { Conflict } from '../../platform/errors/domain-errors';
import { Precondition } from '../../platform/http/request/precondition';
import { type EndpointWithSecrets, WebhookEndpoint } from './endpoint.entity';
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
