import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, IsNull, Repository } from 'typeorm';
import { Clock } from '../../platform/clock';
import { NotFound } from '../../platform/errors/domain-errors';
import { isId } from '../../platform/text/ids';
import { Account } from '../accounts/account.entity';
import { Notice } from './notice.entity';
import { markNoticeRead } from './notice.queries';

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
  async markRead(accountId: string, id: string): Promise<string> {
    const path = isId(id) && (await markNoticeRead(this.database, accountId, id, this.clock.now()));
    if (!path) throw new NotFound('Notice');
    return path;
  }

  async markAllRead(accountId: string): Promise<void> {
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
