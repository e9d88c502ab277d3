import type { AuditEntry } from './audit-entry.entity';

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
