import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Something that has happened to what an account owns: its user reads it in the dashboard, and by e-mail. */
@Entity('notices')
export class Notice {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  @Column('text')
  title!: string;

  @Column('text')
  detail!: string;

  /** The page about it, below /dashboard. */
  @Column('text')
  path!: string;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'read_at', nullable: true })
  readAt!: Date | null;

  /**
   * When its e-mail is tried next; null once it was sent, or if none is wanted. It stays set where no e-mail is sent
   * (without SMTP_URL), and after sending has failed for a day.
   */
  @Column('timestamptz', { name: 'mail_at', nullable: true })
  mailAt!: Date | null;
}
