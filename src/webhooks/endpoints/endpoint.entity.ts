import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { EventName } from '../../events/event-map';

/** Where an account receives its events (specification, part 6, subscription). */
@Entity('webhook_endpoints')
export class WebhookEndpoint {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  @Column('text')
  url!: string;

  @Column('text', { array: true })
  events!: EventName[];

  /** An administrator's endpoint that receives the events of every account. */
  @Column('boolean', { name: 'all_accounts' })
  allAccounts!: boolean;

  /** Encrypted. Signs `X-Service-Signature`, and `webhook-signature` as well. Not selected by default: `findWithSecrets` loads it. */
  @Column('bytea', { select: false })
  secret?: Buffer;

  /** Encrypted. The other secret of a rotation: signs `webhook-signature` too. */
  @Column('bytea', { name: 'other_secret', nullable: true, select: false })
  otherSecret?: Buffer | null;

  /**
   * `staged`: the other secret is the next one; `retiring`: it is the old one; null if no rotation is in progress.
   */
  @Column('text', { nullable: true })
  rotation!: 'staged' | 'retiring' | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'disabled_at', nullable: true })
  disabledAt!: Date | null;

  /** A sentence for its owner; null unless it is disabled. */
  @Column('text', { name: 'disabled_reason', nullable: true })
  disabledReason!: string | null;

  /** The first failure since the last success; null while it responds. */
  @Column('timestamptz', { name: 'failing_since', nullable: true })
  failingSince!: Date | null;

  /** Its deliveries can be viewed until they are deleted by age. */
  @Column('timestamptz', { name: 'deleted_at', nullable: true })
  deletedAt!: Date | null;
}

/** An endpoint that was loaded with its secrets. */
export type EndpointWithSecrets = WebhookEndpoint &
  Required<Pick<WebhookEndpoint, 'secret' | 'otherSecret'>>;
