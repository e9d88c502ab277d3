import { createHash } from 'node:crypto';
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

  /** Encrypted. Signs `X-Service-Signature`, and `webhook-signature` as well. */
  @Column('bytea')
  secret!: Buffer;

  /** Encrypted. The other secret of a rotation: signs `webhook-signature` too. */
  @Column('bytea', { name: 'other_secret', nullable: true })
  otherSecret!: Buffer | null;

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

/** What people see of an endpoint: never its secrets. */
const SHOWN = [
  'id',
  'accountId',
  'url',
  'events',
  'allAccounts',
  'rotation',
  'createdAt',
  'disabledAt',
  'disabledReason',
  'failingSince',
] as const satisfies (keyof WebhookEndpoint)[];

export type EndpointView = Pick<WebhookEndpoint, (typeof SHOWN)[number]> & {
  /** A hash of what owners change of it, both secrets too, and not of what its deliveries come to (`failingSince`). */
  version: string;
};

export function endpointView(endpoint: WebhookEndpoint): EndpointView {
  const { url, events, allAccounts, rotation, disabledAt } = endpoint;
  // As encrypted, with a random nonce: the hash says nothing about the secrets.
  const secrets = [endpoint.secret, endpoint.otherSecret].map((it) => it?.toString('base64'));
  const version = createHash('sha256')
    .update(JSON.stringify([url, events, allAccounts, rotation, secrets, disabledAt]))
    .digest('base64url');
  const shown = Object.fromEntries(SHOWN.map((field) => [field, endpoint[field]]));
  return { ...(shown as Omit<EndpointView, 'version'>), version };
}

/** The reason of an endpoint that its owner has disabled; all others are set by the service. */
export const DISABLED_BY_OWNER = 'Its owner disabled it.';

/** It fails, or the service has disabled it. What its owner did to it needs no attention. */
export function needsAttention(endpoint: EndpointView): boolean {
  const { disabledAt, disabledReason, failingSince } = endpoint;
  return disabledAt ? disabledReason !== DISABLED_BY_OWNER : failingSince !== null;
}

/** For whom something is looked up: an account sees its own endpoints only, an operator all of them. */
export type Owner = { readonly accountId: string } | 'operator';

/** The account to look in; null for all of them. */
export function accountOf(owner: Owner): string | null {
  return owner === 'operator' ? null : owner.accountId;
}
