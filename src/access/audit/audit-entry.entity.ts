import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * Who did what to which object: actions of administrators and of quizctl, what users do to their accounts, keys, webhooks
 * and quizzes, and sign-ins, refused ones too. docs/operations.md says how long entries are kept. Without a repository:
 * what is written and read stays SQL (audit.queries.ts), since an entry looks up its address as it is stored.
 */
@Entity('audit_entries')
export class AuditEntry {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('timestamptz')
  at!: Date;

  /** The nil UUID for quizctl and for somebody who is not signed in: see actor.ts. */
  @Column('uuid', { name: 'actor_id' })
  actorId!: string;

  @Column('text', { name: 'actor_email' })
  actorEmail!: string;

  /** `account.plan-changed` */
  @Column('text')
  action!: string;

  @Column('text', { name: 'object_kind' })
  objectKind!: string;

  /** '' if there is no such object: a sign-in with an unknown address. */
  @Column('text', { name: 'object_id' })
  objectId!: string;

  @Column('text', { name: 'object_name' })
  objectName!: string;

  /**
   * Before and after, the reason, the scopes of a key, the key or session that was used, or the client address of a
   * sign-in, as text; may be empty.
   */
  @Column('text')
  detail!: string;
}
