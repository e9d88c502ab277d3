import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, IsNull, Repository } from 'typeorm';
import { Clock } from '../../platform/clock';
import { Config } from '../../platform/config/config';
import { DAY } from '../../platform/durations';
import { NotFound } from '../../platform/errors/domain-errors';
import { Mailer } from '../../platform/mail/mailer';
import { Scheduled } from '../../platform/queue/scheduled';
import { isId } from '../../platform/text/ids';
import { Account } from '../accounts/account.entity';
import { Notice } from './notice.entity';
import { markNoticeRead, takeDueMails } from './notice.queries';

/** The notices of an account. */
@Injectable()
export class NoticesService {
  constructor(
    private readonly database: DataSource,
    @InjectRepository(Notice) private readonly notices: Repository<Notice>,
    @InjectRepository(Account) private readonly accounts: Repository<Account>,
    private readonly clock: Clock,
  ) {}

  /** Newest first. */
  list(accountId: string): Promise<Notice[]> {
    return this.notices.find({ where: { accountId }, order: { id: 'DESC' } });
  }

  /** Marks it as read. @returns its page. @throws NotFound */
  async read(accountId: string, id: string): Promise<string> {
    const path = isId(id) && (await markNoticeRead(this.database, accountId, id, this.clock.now()));
    if (!path) throw new NotFound('Notice');
    return path;
  }

  async readAll(accountId: string): Promise<void> {
    await this.notices.update({ accountId, readAt: IsNull() }, { readAt: this.clock.now() });
  }

  /** Whether notices are also sent by e-mail. */
  async areMailed(accountId: string): Promise<boolean> {
    return this.accounts.existsBy({ id: accountId, mails: true });
  }

  async setMailed(accountId: string, mails: boolean): Promise<void> {
    await this.accounts.update({ id: accountId }, { mails });
  }
}

/** Milliseconds. Also for how long a mail that fails is tried again, after twice the time each. */
const BATCH = 10;

/** Sends notices by e-mail, in the worker: neither a change nor a page waits for the mail server. */
@Injectable()
export class NoticeMailService {
  constructor(
    private readonly database: DataSource,
    @InjectRepository(Notice) private readonly notices: Repository<Notice>,
    private readonly clock: Clock,
    private readonly mailer: Mailer,
    private readonly config: Config,
  ) {}

  /** Sends a batch. @returns whether more may wait */
  @Scheduled({ name: 'the sending of e-mail', every: 5_000 })
  async send(): Promise<boolean> {
    if (!this.mailer.enabled) return false;
    // The next try is stored first: a killed worker leaves a mail that another one sends.
    const now = this.clock.now();
    const due = await takeDueMails(this.database, now, new Date(now.getTime() - DAY), BATCH);
    for (const { id, email, title, detail, path, isWanted } of due) {
      const text = `${detail}\n\n${this.config.publicUrl}${path}\n\nTo stop these e-mails, open ${this.config.publicUrl}/dashboard/account\n`;
      if (!isWanted || (await this.mailer.send(email, title, text)))
        await this.notices.update({ id }, { mailAt: null });
    }
    return due.length === BATCH;
  }
}
