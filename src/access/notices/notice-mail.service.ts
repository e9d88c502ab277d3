import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, Repository } from 'typeorm';
import { Clock } from '../../platform/clock';
import { Config } from '../../platform/config/config';
import { DAY } from '../../platform/durations';
import { Mailer } from '../../platform/mail/mailer';
import { messagesFor } from '../../platform/messages/messages';
import { noticeText } from '../../platform/messages/refusals';
import { Scheduled } from '../../platform/queue/scheduled';
import { Notice } from './notice.entity';
import { type DueMail, takeDueMail } from './notice.queries';

/** E-mails in one run, taken one by one: a slow mail server must not make them due again before they were sent. */
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
    for (let sent = 0; sent < BATCH; sent += 1) {
      const now = this.clock.now();
      // The next try is stored first: a killed worker leaves a mail that another one sends.
      const due = await takeDueMail(this.database, now, new Date(now.getTime() - DAY));
      if (!due) return false;
      if (!due.isWanted || (await this.sendOne(due)))
        await this.notices.update({ id: due.id }, { mailAt: null });
    }
    return true;
  }

  private sendOne({ email, language, title, detail, path }: DueMail): Promise<boolean> {
    const { publicUrl } = this.config;
    const messages = messagesFor(language);
    const stop = messages.t('mail.notice.stop', { link: `${publicUrl}/dashboard/account` });
    const text = `${noticeText(detail, messages)}\n\n${publicUrl}${path}\n\n${stop}\n`;
    return this.mailer.send(email, noticeText(title, messages), text);
  }
}
