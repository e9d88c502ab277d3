import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, Repository } from 'typeorm';
import { Clock } from '../../platform/clock';
import { Config } from '../../platform/config/config';
import { DAY } from '../../platform/durations';
import { Mailer } from '../../platform/mail/mailer';
import { Scheduled } from '../../platform/queue/scheduled';
import { Notice } from './notice.entity';
import { takeDueMails } from './notice.queries';

/** E-mails in one run. */
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
