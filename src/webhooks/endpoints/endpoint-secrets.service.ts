import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Conflict } from '../../platform/errors/domain-errors';
import { WebhookEndpoint } from './endpoint.entity';
import { lockEndpoints } from './endpoint.queries';
import { endpointView, type EndpointView } from './endpoint.view';
import { EndpointsService } from './endpoints.service';
import type { Owner } from './owner';
import { generateSecret } from './secret';
import { SecretBox } from './secret-box';

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
      return {
        secret: current,
        otherSecret: this.box.seal(secret, id),
        rotation: 'staged',
      };
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
