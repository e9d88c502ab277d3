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

  /** Sealed. Signs `X-Service-Signature`, and `webhook-signature` as well. */
  @Column('bytea')
  secret!: Buffer;

  /** Sealed. The other secret of a rotation: signs `webhook-signature` too. */
  @Column('bytea', { name: 'other_secret', nullable: true })
  otherSecret!: Buffer | null;

  /** `staged`: the other secret is to come; `retiring`: it is to go. */
  @Column('text', { nullable: true })
  rotation!: 'staged' | 'retiring' | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'disabled_at', nullable: true })
  disabledAt!: Date | null;

  /** A sentence for its owner. */
  @Column('text', { name: 'disabled_reason', nullable: true })
  disabledReason!: string | null;

  /** The first failure since the last success. */
  @Column('timestamptz', { name: 'failing_since', nullable: true })
  failingSince!: Date | null;

  /** Its owner has seen what is wrong with it: only what happened since is a notice. */
  @Column('timestamptz', { name: 'notice_dismissed_at', nullable: true })
  noticeDismissedAt!: Date | null;

  /** Its deliveries can still be looked at until they are pruned. */
  @Column('timestamptz', { name: 'deleted_at', nullable: true })
  deletedAt!: Date | null;
}
