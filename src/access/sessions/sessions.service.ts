import { Injectable } from '@nestjs/common';
import { createHash, randomBytes } from 'node:crypto';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../platform/clock';
import { NotFound } from '../../platform/errors/domain-errors';
import { isId, newId } from '../../platform/text/ids';
import { LIMITS } from '../../platform/limits/limits';
import { AuditLog } from '../audit/audit-log';
import { addressText } from '../../platform/http/server/access-log';
import type { Plan } from '../accounts/plan.rules';

const HOUR = 3_600_000;
/** A session ends after not being used for this long. */
export const SESSION_IDLE = 24 * HOUR;
/** A session ends this long after the sign-in, used or not. */
export const SESSION_LASTS = 14 * 24 * HOUR;
/** The last use is stored at most this often. */
const SEEN_EVERY = 60_000;

/** Who is signed in, and in which session. */
export interface SignedIn {
  sessionId: string;
  accountId: string;
  email: string;
  plan: Plan;
  isAdmin: boolean;
  /** The plan that the user has asked for. */
  requestedPlan: Plan | null;
  /** Notices. */
  unread: number;
  /** Accounts that wait for a decision about their plan; 0 if the viewer is no administrator. */
  planRequests: number;
}

/** Where a session is opened from. */
export interface Browser {
  userAgent: string;
  address: string;
}

/** A session as its owner sees it in the list. */
export interface SessionRow {
  id: string;
  createdAt: Date;
  lastSeenAt: Date;
  userAgent: string;
  address: string;
}

/**
 * Sessions of the dashboard. The cookie holds only 256 random bits, and the database only their hash, so there is
 * nothing to sign and nothing worth stealing. Disabled accounts have no sessions.
 */
@Injectable()
export class SessionsService {
  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
  ) {}

  /**
   * A new session; beyond the limit the least recently used one ends.
   * @param passwordHash the hash that was verified: no session is opened if the password was changed meanwhile
   * @returns the value of its cookie, which appears nowhere else; null if the password was changed or the account
   *   disabled
   */
  async start(accountId: string, from: Browser, passwordHash?: string): Promise<string | null> {
    const token = randomBytes(32).toString('base64url');
    const now = this.clock.now();
    await this.database.query(
      `DELETE FROM sessions WHERE created_at <= $1 OR last_seen_at <= $2`,
      oldest(now),
    );
    return this.database.transaction(async (tx) => {
      // The row stays locked: a change of the password waits, and ends this session as well.
      const [, found] = await tx.query<[unknown, number]>(
        `UPDATE accounts SET last_seen_at = $2
         WHERE id = $1 AND disabled_at IS NULL AND ($3::text IS NULL OR password_hash = $3)`,
        [accountId, now, passwordHash ?? null],
      );
      if (found === 0) return null;
      await tx.query(
        `INSERT INTO sessions (id, token_hash, account_id, created_at, last_seen_at, user_agent, address)
         VALUES ($1, $2, $3, $4, $4, $5, $6)`,
        [
          newId(),
          hashToken(token),
          accountId,
          now,
          from.userAgent.slice(0, 300),
          addressText(from.address),
        ],
      );
      await tx.query(
        `DELETE FROM sessions WHERE id IN (
           SELECT id FROM sessions WHERE account_id = $1 ORDER BY last_seen_at DESC, id DESC OFFSET $2)`,
        [accountId, LIMITS.accounts.sessions.value],
      );
      await this.audit.recordOwn(tx, accountId, 'sign-in', `from ${addressText(from.address)}`);
      return token;
    });
  }

  /** Whose cookie this is; null if the session has ended or never existed. */
  async find(token: string): Promise<SignedIn | null> {
    const now = this.clock.now();
    const [row] = await this.database.query<(SignedIn & { seen: Date })[]>(SESSION_BY_TOKEN, [
      hashToken(token),
      ...oldest(now),
    ]);
    if (!row) return null;
    const { seen, ...signedIn } = row;
    if (now.getTime() - seen.getTime() >= SEEN_EVERY) await this.touch(signedIn, now);
    return signedIn;
  }

  /** The sessions of an account, most recently used first. */
  list(accountId: string): Promise<SessionRow[]> {
    return this.database.query<SessionRow[]>(SESSIONS_OF_ACCOUNT, [
      accountId,
      ...oldest(this.clock.now()),
    ]);
  }

  /** Ends one session of the account. @throws NotFound, also for a session of another account */
  async end(accountId: string, id: string): Promise<void> {
    if (!isId(id) || !(await this.endIfOpen(accountId, id))) throw new NotFound('Session');
  }

  /** The same if it may have ended already, for example of a browser whose password was changed elsewhere. */
  async endIfOpen(accountId: string, id: string): Promise<boolean> {
    const [, count] = await this.database.query<[unknown, number]>(
      `DELETE FROM sessions WHERE id = $1 AND account_id = $2`,
      [id, accountId],
    );
    return count > 0;
  }

  /** Ends all sessions of the account except one. */
  async endAll(
    accountId: string,
    keep?: string,
    tx: EntityManager = this.database.manager,
  ): Promise<void> {
    await tx.query(`DELETE FROM sessions WHERE account_id = $1 AND id IS DISTINCT FROM $2::uuid`, [
      accountId,
      keep ?? null,
    ]);
  }

  /** Stores a message for the next page of this session. */
  async leaveNotice(id: string, notice: string): Promise<void> {
    await this.database.query(`UPDATE sessions SET notice = $2 WHERE id = $1`, [id, notice]);
  }

  /** That message, once. */
  async takeNotice(id: string): Promise<string | null> {
    const [rows] = await this.database.query<[{ notice: string }[], number]>(
      `UPDATE sessions s SET notice = NULL
       FROM (SELECT id, notice FROM sessions WHERE id = $1 AND notice IS NOT NULL FOR UPDATE) old
       WHERE s.id = old.id RETURNING old.notice`,
      [id],
    );
    return rows[0]?.notice ?? null;
  }

  private async touch({ sessionId, accountId }: SignedIn, now: Date): Promise<void> {
    await this.database.query(
      `WITH session AS (UPDATE sessions SET last_seen_at = $3 WHERE id = $1)
       UPDATE accounts SET last_seen_at = $3 WHERE id = $2`,
      [sessionId, accountId, now],
    );
  }
}

/** Sessions that were opened, or last used, before these times have ended. */
const oldest = (now: Date): [created: Date, seen: Date] => [
  new Date(now.getTime() - SESSION_LASTS),
  new Date(now.getTime() - SESSION_IDLE),
];

const hashToken = (token: string) => createHash('sha256').update(token).digest();

const SESSION_BY_TOKEN = `
SELECT s.id AS "sessionId", s.last_seen_at AS seen, a.id AS "accountId", a.email, a.plan, a.is_admin AS "isAdmin",
  a.requested_plan AS "requestedPlan",
  (SELECT count(*)::int FROM notices WHERE account_id = a.id AND read_at IS NULL) AS unread,
  (SELECT count(*)::int FROM accounts WHERE a.is_admin AND requested_plan IS NOT NULL) AS "planRequests"
FROM sessions s JOIN accounts a ON a.id = s.account_id
WHERE s.token_hash = $1 AND s.created_at > $2 AND s.last_seen_at > $3 AND a.disabled_at IS NULL`;

const SESSIONS_OF_ACCOUNT = `
SELECT id, created_at AS "createdAt", last_seen_at AS "lastSeenAt", user_agent AS "userAgent", address
FROM sessions WHERE account_id = $1 AND created_at > $2 AND last_seen_at > $3
ORDER BY last_seen_at DESC, id DESC`;
