import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../platform/clock';
import { shortSessionId } from '../../platform/http/server/access-log';
import { inBatches } from '../../platform/loop';
import { HOUR, Scheduled } from '../../platform/queue/scheduled';
import { newId, NIL_ID } from '../../platform/text/ids';
import type { Scope } from '../accounts/scope.rules';

/** Who did it. */
export interface Actor {
  accountId: string;
  /** Looked up if absent. */
  email?: string;
  /** Of the API key that is used; absent in the dashboard, where a user may do everything. */
  scopes?: readonly Scope[] | undefined;
  /** The API key or the session that was used, for entries that name it. */
  keyId?: string | undefined;
  sessionId?: string | undefined;
}

/** An operator who runs quizctl: a shell on the server has no account. */
export const OPERATOR = {
  accountId: NIL_ID,
  email: 'quizctl',
};

/** Somebody who is not signed in. */
export const ANONYMOUS = { accountId: OPERATOR.accountId, email: 'anonymous' };

export interface AuditEntry {
  id: string;
  at: Date;
  actorEmail: string;
  /** `account.plan-changed` */
  action: string;
  objectKind: string;
  objectId: string;
  objectName: string;
  /** Before and after, or the reason, as text; may be empty. */
  detail: string;
}

/** An entry as pages show it. */
export interface ListedAuditEntry extends AuditEntry {
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
    await tx.query(
      `INSERT INTO audit_entries (id, at, actor_id, actor_email, action, object_kind, object_id, object_name, detail)
       VALUES ($1, $2, $3, coalesce($4, (SELECT email FROM accounts WHERE id = $3), ''), $5, $6, $7, $8, $9)`,
      [
        newId(),
        this.clock.now(),
        actor.accountId,
        actor.email ?? null,
        action,
        object.kind,
        object.id,
        object.name,
        detail,
      ],
    );
  }

  /**
   * The same, and the detail names the API key or the session: of an account that has several, one may have been
   * stolen. The lines of requests in the log name it too.
   */
  async recordWithMeans(
    tx: EntityManager,
    actor: Actor,
    action: string,
    object: { kind: string; id: string; name: string },
  ): Promise<void> {
    await this.record(tx, actor, action, object, await meansOf(tx, actor));
  }

  /** What users did to their own accounts. */
  async recordOwn(
    tx: EntityManager,
    accountId: string,
    action: string,
    detail = '',
  ): Promise<void> {
    const [account] = await tx.query<{ email: string }[]>(
      `SELECT email FROM accounts WHERE id = $1`,
      [accountId],
    );
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
    return this.database.query<ListedAuditEntry[]>(
      `${LISTED} WHERE ($2::uuid IS NULL OR id < $2) AND ${MATCHES} ORDER BY id DESC LIMIT $1`,
      [limit, before, ...conditionsOf(filter)],
    );
  }

  /** All entries that match, oldest first, as lines of JSON (NDJSON). */
  async *lines(filter: AuditFilter = {}): AsyncGenerator<string> {
    let after: string | null = null;
    for (;;) {
      const page: AuditEntry[] = await this.database.query<AuditEntry[]>(
        `${ENTRIES} WHERE ($2::uuid IS NULL OR id > $2) AND ${MATCHES} ORDER BY id LIMIT $1`,
        [PAGE, after, ...conditionsOf(filter)],
      );
      if (page.length === 0) return;
      yield page.map((entry) => `${JSON.stringify(entry)}\n`).join('');
      after = page.at(-1)?.id ?? null;
    }
  }

  /** What was done to one object, the newest first. */
  about(objectId: string, limit: number): Promise<ListedAuditEntry[]> {
    return this.database.query<ListedAuditEntry[]>(
      `${LISTED} WHERE object_id = $2 ORDER BY id DESC LIMIT $1`,
      [limit, objectId],
    );
  }
}

/** Deletes audit entries that are older than the limit, and routine ones of an account above its number. */
@Injectable()
export class AuditRetention {
  constructor(private readonly database: DataSource) {}

  /** By the database's clock and in a function with its owner's rights: this process's role may only add entries. */
  @Scheduled('retention of the audit log', HOUR)
  prune(): Promise<number> {
    return inBatches(async (limit) => {
      const [row] = await this.database.query<{ count: number }[]>(
        `SELECT prune_audit_entries($1) AS count`,
        [limit],
      );
      return row?.count ?? 0;
    });
  }
}

const PAGE = 1_000;

const MATCHES = `($3 = '' OR strpos(lower(actor_email || ' ' || object_name || ' ' || detail), $3) > 0)
  AND ($4 = '' OR split_part(action, '.', 1) = $4)`;
const conditionsOf = ({ text = '', subject = '' }: AuditFilter) => [text.toLowerCase(), subject];

const FIELDS = `id, at, actor_email AS "actorEmail", action, object_kind AS "objectKind",
  object_id AS "objectId", object_name AS "objectName", detail`;

const ENTRIES = `SELECT ${FIELDS} FROM audit_entries`;

/** `ListedAuditEntry`. Of the objects that have a page only quizzes are deleted. */
const LISTED = `
SELECT ${FIELDS}, EXISTS (SELECT FROM audit_entries later
  WHERE later.object_id = audit_entries.object_id AND later.action = 'quiz.deleted') AS "isGone"
FROM audit_entries`;

/** `with the API key “Website” (svc_live_…3f9a)`; empty for a shell on the server. */
async function meansOf(tx: EntityManager, { keyId, sessionId }: Actor): Promise<string> {
  if (sessionId) return `in the dashboard, session ${shortSessionId(sessionId)}`;
  if (!keyId) return '';
  const [key] = await tx.query<{ name: string; prefix: string; lastFour: string }[]>(
    `SELECT name, prefix, last_four AS "lastFour" FROM api_keys WHERE id = $1`,
    [keyId],
  );
  return key ? `with the API key “${key.name}” (${key.prefix}…${key.lastFour})` : '';
}
