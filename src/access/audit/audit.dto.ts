import type { AuditEntry } from './audit-entry.entity';

/** An entry without the id of the actor, who is named by the e-mail address at that time. */
export type AuditEntryView = Omit<AuditEntry, 'actorId'>;

/** An entry as pages show it. */
export interface ListedAuditEntry extends AuditEntryView {
  /** The object was deleted or unpublished, and has no page. */
  isGone: boolean;
}

/** An empty filter does not narrow. */
export interface AuditFilter {
  /** Text that the actor's address, the object's name or the detail contains, ignoring case. */
  text?: string;
  /** The first part of an action: `account` of `account.disabled`. */
  subject?: string;
}
