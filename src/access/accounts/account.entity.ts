import { Column, Entity, PrimaryColumn } from 'typeorm';
import { PLANS, type Plan } from './plan.rules';

/** The driver returns a bigint as text. */
const AS_NUMBER = { from: Number, to: (value: number) => value };

/** Somebody who holds API keys and owns quizzes. */
@Entity('accounts')
export class Account {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  email!: string;

  /** The folded e-mail address: unique. */
  @Column('text', { name: 'email_key' })
  emailKey!: string;

  @Column({ type: 'enum', enum: [...PLANS], enumName: 'plan' })
  plan!: Plan;

  @Column('boolean', { name: 'is_admin' })
  isAdmin!: boolean;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  /** Of the questions of its quizzes, kept by triggers of the database. */
  @Column({
    type: 'bigint',
    name: 'content_bytes',
    insert: false,
    update: false,
    transformer: AS_NUMBER,
  })
  contentBytes!: number;

  /** Since when its keys are refused; null while it is in use. */
  @Column('timestamptz', { name: 'disabled_at', nullable: true })
  disabledAt!: Date | null;
}
