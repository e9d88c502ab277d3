import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A browser that is signed in to the dashboard. */
@Entity('sessions')
export class Session {
  @PrimaryColumn('uuid')
  id!: string;

  /** SHA-256 of the cookie's value. Never read. */
  @Column('bytea', { name: 'token_hash', select: false })
  tokenHash?: Buffer;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'last_seen_at' })
  lastSeenAt!: Date;

  @Column('text', { name: 'user_agent' })
  userAgent!: string;

  @Column('text')
  address!: string;

  /** For the next page. */
  @Column('text', { name: 'notice', nullable: true })
  flashMessage!: string | null;

  /** Whether that message says that something failed. */
  @Column('boolean', { name: 'notice_is_refusal', default: false })
  flashIsRefusal!: boolean;
}
