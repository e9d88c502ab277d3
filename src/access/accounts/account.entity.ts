import { Column, Entity, PrimaryColumn } from 'typeorm';
import { AS_NUMBER } from '../../platform/database/bigint';
import { type Plan, PLANS } from './plan.rules';

/** An owner of API keys and quizzes. */
@Entity('accounts')
export class Account {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  email!: string;

  /** The folded e-mail address: unique. */
  @Column('text', { name: 'email_key' })
  emailKey!: string;

  /** Of argon2id; null: nobody can sign in. Read only where it is named. */
  @Column('text', { name: 'password_hash', nullable: true, select: false })
  passwordHash?: string | null;

  @Column({ type: 'enum', enum: [...PLANS], enumName: 'plan' })
  plan!: Plan;

  /** SHA-256 of the token of its one-time link to set a password; null: there is none, or it was used. */
  @Column('bytea', { name: 'link_hash', nullable: true, select: false })
  linkHash?: Buffer | null;

  @Column('timestamptz', { name: 'link_issued_at', nullable: true, select: false })
  linkIssuedAt?: Date | null;

  /** What its user has asked for; null: nothing, or it was decided. */
  @Column({
    type: 'enum',
    enum: [...PLANS],
    enumName: 'plan',
    name: 'requested_plan',
    nullable: true,
  })
  requestedPlan!: Plan | null;

  @Column('boolean', { name: 'is_admin' })
  isAdmin!: boolean;

  /** Web origins that may show its quizzes in a frame; `*` is any. */
  @Column('text', { name: 'embed_origins', array: true, default: [] })
  embedOrigins!: string[];

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  /** Bytes of its questions, maintained by database triggers. */
  @Column({
    type: 'bigint',
    name: 'content_bytes',
    insert: false,
    update: false,
    transformer: AS_NUMBER,
  })
  contentBytes!: number;

  /** Whether its notices are also sent by e-mail. */
  @Column('boolean', { default: true, select: false })
  mails?: boolean;

  /** The language of e-mails that the worker sends; null until the user has opened a page. */
  @Column('text', { nullable: true })
  language?: string | null;

  /** When it was deleted; its row stays, without anything personal. */
  @Column('timestamptz', { name: 'deleted_at', nullable: true })
  deletedAt!: Date | null;

  /** What becomes of its quizzes, until all that belongs to it is deleted; then null. */
  @Column('text', { nullable: true })
  deletion!: 'delete' | 'keep' | null;

  /** An address that waits for its confirmation. */
  @Column('text', { name: 'new_email', nullable: true, select: false })
  newEmail?: string | null;

  /** SHA-256 of the token of the link that confirms it. */
  @Column('bytea', { name: 'new_email_hash', nullable: true, select: false })
  newEmailHash?: Buffer | null;

  @Column('timestamptz', { name: 'new_email_at', nullable: true, select: false })
  newEmailAt?: Date | null;

  /** Since when it is disabled; null while it is enabled. */
  @Column('timestamptz', { name: 'disabled_at', nullable: true })
  disabledAt!: Date | null;
}

/** Of an account without a link that sets its password or confirms another address. */
export const NO_LINKS = {
  linkHash: null,
  linkIssuedAt: null,
  newEmail: null,
  newEmailHash: null,
  newEmailAt: null,
};
