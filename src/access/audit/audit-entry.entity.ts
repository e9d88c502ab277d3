import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An administrative action: who did what to which object. */
@Entity('audit_entries')
export class AuditEntry {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('timestamptz')
  at!: Date;

  @Column('uuid', { name: 'actor_id' })
  actorId!: string;

  @Column('text', { name: 'actor_email' })
  actorEmail!: string;

  /** `account.plan-changed` */
  @Column('text')
  action!: string;

  @Column('text', { name: 'object_kind' })
  objectKind!: string;

  @Column('text', { name: 'object_id' })
  objectId!: string;

  @Column('text', { name: 'object_name' })
  objectName!: string;

  /** Before and after, or the reason, as text; may be empty. */
  @Column('text')
  detail!: string;
}

/** An entry as it is read: by the actor's address at that time. */
export type ReadAuditEntry = Omit<AuditEntry, 'actorId'>;

/** An entry as pages show it. */
export interface ListedAuditEntry extends ReadAuditEntry {
  /** The object was deleted since, and has no page any more. */
  isGone: boolean;
}

/** An empty filter does not narrow. */
export interface AuditFilter {
  /** Text that the actor's address, the object's name or the detail contains, ignoring case. */
  text?: string;
  /** The first part of an action: `account` of `account.disabled`. */
  subject?: string;
}
