import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../platform/clock';
import { shortSessionId } from '../../platform/http/server/access-log';
import { newId } from '../../platform/text/ids';
import { Account } from '../accounts/account.entity';
import type { Actor } from './actor';
import type { AuditEntryView, AuditFilter, ListedAuditEntry } from './audit.dto';
import {
  findEntriesAbout,
  findEntriesAfter,
  findEntriesBefore,
  findKeyName,
  insertEntry,
  redactEntries,
} from './audit.queries';

/** Every administrative action, recorded in its transaction: no action without its entry. */
@Injectable()
export class AuditLog {
  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
  ) {}

  async record(
    tx: EntityManager,
    actor: Actor,
    action: string,
    object: { kind: string; id: string; name: string },
    detail = '',
  ): Promise<void> {
    await insertEntry(tx, {
      id: newId(),
      at: this.clock.now(),
      actorId: actor.accountId,
      actorEmail: actor.email,
      action,
      objectKind: object.kind,
      objectId: object.id,
      objectName: object.name,
      detail,
    });
  }

  /**
   * The same, and the detail names the API key or the session that was used: if one was stolen, this says which. The
   * lines of requests in the log name it too.
   */
  async recordWithCredential(
    tx: EntityManager,
    actor: Actor,
    action: string,
    object: { kind: string; id: string; name: string },
  ): Promise<void> {
    await this.record(tx, actor, action, object, await credentialOf(tx, actor));
  }

  /** What users did to their own accounts. */
  async recordOwn(
    tx: EntityManager,
    accountId: string,
    action: string,
    detail = '',
  ): Promise<void> {
    const account = await tx.getRepository(Account).findOne({
      select: { email: true },
      where: { id: accountId },
    });
    const name = account?.email ?? '';
    const object = { kind: 'account', id: accountId, name };
    await this.record(tx, { accountId, email: name }, action, object, detail);
  }

  /** A page, newest first. @param before the id of the last entry of the previous page */
  list(
    limit: number,
    before: string | null = null,
    filter: AuditFilter = {},
  ): Promise<ListedAuditEntry[]> {
    return findEntriesBefore(this.database, before, filter, limit);
  }

  /** All entries that match, oldest first, as lines of JSON (NDJSON). */
  async *lines(filter: AuditFilter = {}): AsyncGenerator<string> {
    let after: string | null = null;
    for (;;) {
      const page: AuditEntryView[] = await findEntriesAfter(this.database, after, filter, PAGE);
      if (page.length === 0) return;
      yield page.map((entry) => `${JSON.stringify(entry)}\n`).join('');
      after = page.at(-1)?.id ?? null;
    }
  }

  /** Empties what entries say about these objects of a deleted account; ids, actions and times stay. */
  async redact(tx: EntityManager, accountId: string, objects: readonly string[]): Promise<void> {
    if (objects.length > 0) await redactEntries(tx, accountId, objects);
  }

  /** The same for the account itself and what it did. */
  async redactAccount(tx: EntityManager, accountId: string): Promise<void> {
    await redactEntries(tx, accountId, [accountId]);
    await redactEntries(tx, accountId, []);
  }

  /** What was done to one object, the newest first. */
  about(objectId: string, limit: number): Promise<ListedAuditEntry[]> {
    return findEntriesAbout(this.database, objectId, limit);
  }
}

const PAGE = 1_000;

/** `with the API key “Website” (svc_live_…3f9a)`; empty for a shell on the server. */
async function credentialOf(tx: EntityManager, { keyId, sessionId }: Actor): Promise<string> {
  if (sessionId) return `in the dashboard, session ${shortSessionId(sessionId)}`;
  if (!keyId) return '';
  const key = await findKeyName(tx, keyId);
  return key ? `with the API key “${key.name}” (${key.prefix}…${key.lastFour})` : '';
}
