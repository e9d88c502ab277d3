import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A link that works once: to set an account's password, or to create the first administrator. */
@Entity('one_time_links')
export class OneTimeLink {
  /** SHA-256 of the token in the link. */
  @PrimaryColumn('bytea', { name: 'token_hash' })
  tokenHash!: Buffer;

  /** At most one link for each; null: the first administrator. */
  @Column('uuid', { name: 'account_id', nullable: true })
  accountId!: string | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;
}
