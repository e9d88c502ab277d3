import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import {
  DataSource,
  type EntityManager,
  LessThanOrEqual,
  MoreThan,
  Not,
  Repository,
} from 'typeorm';
import { Clock } from '../../platform/clock';
import { HOUR, MINUTE } from '../../platform/durations';
import { NotFound } from '../../platform/errors/domain-errors';
import { addressText } from '../../platform/http/server/client-address';
import { LIMITS } from '../../platform/limits/limits';
import type { Language } from '../../platform/messages/languages';
import { isId, newId } from '../../platform/text/ids';
import { hashToken } from '../accounts/credentials.rules';
import { AuditLog } from '../audit/audit-log';
import { Session } from './session.entity';
import {
  endSessionsBeyond,
  findSignedIn,
  lockForSignIn,
  type Oldest,
  storeLanguage,
  takeFlashMessage,
  touch,
} from './session.queries';
import type { FlashMessage, SignedIn } from './sessions.dto';

/** A session ends after not being used for this long. */
export const SESSION_IDLE = 24 * HOUR;
/** A session ends this long after the sign-in, used or not. */
export const SESSION_LASTS = 14 * 24 * HOUR;
/** The last use is stored at most this often. */
const SEEN_EVERY = MINUTE;

/** Where a session is opened from. */
export interface Browser {
  userAgent: string;
  address: string;
}

/** A session as its owner sees it in the list. */
export type SessionRow = Pick<Session, 'id' | 'createdAt' | 'lastSeenAt' | 'userAgent' | 'address'>;

/**
 * Sessions of the dashboard. The cookie holds 256 random bits and the database only their hash: the cookie needs no
 * signature, because nobody can guess it, and a stolen copy of the table opens no session. Disabled and deleted accounts
 * have no sessions.
 */
@Injectable()
export class SessionsService {
  constructor(
    private readonly database: DataSource,
    @InjectRepository(Session) private readonly sessions: Repository<Session>,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
  ) {}

  /**
   * A new session; beyond the limit the least recently used one ends.
   * @param passwordHash the hash that the password was verified against: no session is opened if the account has another
   *   one by now
   * @returns the value of its cookie, which appears nowhere else; null if the password was changed, or the account
   *   disabled or deleted
   */
  async start(accountId: string, from: Browser, passwordHash?: string): Promise<string | null> {
    const token = randomBytes(32).toString('base64url');
    const now = this.clock.now();
    const { created, seen } = oldest(now);
    await this.sessions.delete([
      { createdAt: LessThanOrEqual(created) },
      { lastSeenAt: LessThanOrEqual(seen) },
    ]);
    return this.database.transaction(async (tx) => {
      if (!(await lockForSignIn(tx, accountId, passwordHash, now))) return null;
      await tx.insert(Session, {
        id: newId(),
        tokenHash: hashToken(token),
        accountId,
        createdAt: now,
        lastSeenAt: now,
        userAgent: from.userAgent.slice(0, 300),
        address: addressText(from.address),
      });
      await endSessionsBeyond(tx, accountId, LIMITS.accounts.sessions.value);
      await this.audit.recordOwn(tx, accountId, 'sign-in', `from ${addressText(from.address)}`);
      return token;
    });
  }

  /** The account that is signed in with this cookie; null if the session has ended or never existed. */
  async find(token: string): Promise<SignedIn | null> {
    const now = this.clock.now();
    const row = await findSignedIn(this.database, hashToken(token), oldest(now));
    if (!row) return null;
    const { seen, ...signedIn } = row;
    if (now.getTime() - seen.getTime() >= SEEN_EVERY) await touch(this.database, signedIn, now);
    return signedIn;
  }

  /** The sessions of an account, most recently used first. */
  list(accountId: string): Promise<SessionRow[]> {
    const { created, seen } = oldest(this.clock.now());
    return this.sessions.find({
      select: { id: true, createdAt: true, lastSeenAt: true, userAgent: true, address: true },
      where: { accountId, createdAt: MoreThan(created), lastSeenAt: MoreThan(seen) },
      order: { lastSeenAt: 'DESC', id: 'DESC' },
    });
  }

  /** Ends one session of the account. @throws NotFound, also for a session of another account */
  async end(accountId: string, id: string): Promise<void> {
    if (!isId(id) || !(await this.endIfOpen(accountId, id))) throw new NotFound('Session');
  }

  /** @returns whether it was open: it may have ended already, for example because the password was changed elsewhere */
  async endIfOpen(accountId: string, id: string): Promise<boolean> {
    const { affected } = await this.sessions.delete({ id, accountId });
    return affected === 1;
  }

  /** Ends all sessions of the account except one. */
  async endAll(
    accountId: string,
    keep?: string,
    tx: EntityManager = this.database.manager,
  ): Promise<void> {
    await tx.delete(Session, { accountId, ...(keep && { id: Not(keep) }) });
  }

  /** E-mails from the worker use this language. While the account's row is locked, nothing is written. */
  async rememberLanguage(accountId: string, language: Language): Promise<void> {
    await storeLanguage(this.database, accountId, language);
  }

  /** Stores a message for the next page of this session. */
  async leaveFlashMessage(id: string, { text, isRefusal }: FlashMessage): Promise<void> {
    await this.sessions.update({ id }, { flashMessage: text, flashIsRefusal: isRefusal });
  }

  /** That message, once. */
  takeFlashMessage(id: string): Promise<FlashMessage | null> {
    return takeFlashMessage(this.database, id);
  }
}

const oldest = (now: Date): Oldest => ({
  created: new Date(now.getTime() - SESSION_LASTS),
  seen: new Date(now.getTime() - SESSION_IDLE),
});
