import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../platform/clock';
import { NotFound } from '../../platform/errors/domain-errors';
import { isId } from '../../platform/text/ids';
import { Config } from '../../platform/config/config';
import { Mailer } from '../../platform/mail/mailer';
import { Scheduled } from '../../platform/queue/scheduled';
import type { NewNotice } from './notice.queries';

export interface Notice extends Omit<NewNotice, 'accountId'> {
  id: string;
  createdAt: Date;
  readAt: Date | null;
}

/** The notices of an account. */
@Injectable()
export class NoticesService {
  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Newest first. */
  list(accountId: string): Promise<Notice[]> {
    return this.database.query<Notice[]>(
      `SELECT id, title, detail, path, created_at AS "createdAt", read_at AS "readAt"
       FROM notices WHERE account_id = $1 ORDER BY id DESC`,
      [accountId],
    );
  }

  /** Marks it as read. @returns its page. @throws NotFound */
  async read(accountId: string, id: string): Promise<string> {
    const [rows] = isId(id)
      ? await this.database.query<[{ path: string }[], number]>(
          `UPDATE notices SET read_at = coalesce(read_at, $3) WHERE account_id = $1 AND id = $2 RETURNING path`,
          [accountId, id, this.clock.now()],
        )
      : [[]];
    if (!rows[0]) throw new NotFound('Notice');
    return rows[0].path;
  }

  async readAll(accountId: string): Promise<void> {
    await this.database.query(
      `UPDATE notices SET read_at = $2 WHERE account_id = $1 AND read_at IS NULL`,
      [accountId, this.clock.now()],
    );
  }

  /** Whether notices are also sent by e-mail. */
  async areMailed(accountId: string): Promise<boolean> {
    const [row] = await this.database.query<{ mails: boolean }[]>(
      `SELECT mails FROM accounts WHERE id = $1`,
      [accountId],
    );
    return row?.mails === true;
  }

  async setMailed(accountId: string, mails: boolean): Promise<void> {
    await this.database.query(`UPDATE accounts SET mails = $2 WHERE id = $1`, [accountId, mails]);
  }
}

/** Milliseconds. Also for how long a mail that fails is tried again, after twice the time each. */
const DAY = 86_400_000;
const BATCH = 10;

interface DueMail {
  id: string;
  email: string;
  title: string;
  detail: string;
  path: string;
  isWanted: boolean;
}

/** Sends notices by e-mail, in the worker: neither a change nor a page waits for the mail server. */
@Injectable()
export class NoticeMailService {
  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly mailer: Mailer,
    private readonly config: Config,
  ) {}

  /** Sends a batch. @returns whether more may wait */
  @Scheduled('the sending of e-mail', 5_000)
  async send(): Promise<boolean> {
    if (!this.mailer.enabled) return false;
    // The next try is stored first: a killed worker leaves a mail that another one sends.
    const now = this.clock.now();
    const [due] = await this.database.query<[DueMail[], number]>(TAKE, [
      now,
      new Date(now.getTime() - DAY),
      BATCH,
    ]);
    for (const { id, email, title, detail, path, isWanted } of due) {
      const text = `${detail}\n\n${this.config.publicUrl}${path}\n\nTo stop these e-mails, open ${this.config.publicUrl}/dashboard/account\n`;
      if (!isWanted || (await this.mailer.send(email, title, text)))
        await this.database.query(`UPDATE notices SET mail_at = NULL WHERE id = $1`, [id]);
    }
    return due.length === BATCH;
  }
}

/** Accounts of the service itself, such as the demo account, have addresses without a mailbox. */
const TAKE = `
UPDATE notices n SET mail_at = $1::timestamptz + ($1 - n.created_at) + interval '1 minute'
FROM accounts a
WHERE a.id = n.account_id AND n.id IN (
  SELECT id FROM notices WHERE mail_at <= $1 AND created_at > $2 ORDER BY id LIMIT $3 FOR UPDATE SKIP LOCKED)
RETURNING n.id, a.email, n.title, n.detail, n.path,
  a.mails AND a.disabled_at IS NULL AND a.email NOT LIKE '%.invalid' AS "isWanted"`;
