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
