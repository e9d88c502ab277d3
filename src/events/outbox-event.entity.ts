import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An event of an account, as it is stored with its change and kept for receivers that missed it (`Outbox`). */
@Entity('outbox_events')
export class OutboxEvent {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  name!: string;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  /** The envelope, byte for byte as it is signed and sent. */
  @Column('text')
  body!: string;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  /** When its deliveries were made; null: they will be. */
  @Column('timestamptz', { name: 'relayed_at', nullable: true })
  relayedAt!: Date | null;

  /** The transaction that stored it: the first part of its place in the order of events. Set by the database. */
  @Column({ type: 'bigint', name: 'transaction_id', insert: false, update: false })
  readonly transactionId!: string;
}
