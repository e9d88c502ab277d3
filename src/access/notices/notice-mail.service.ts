import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../platform/clock';
import { Config } from '../../platform/config/config';
import { Mailer } from '../../platform/mail/mailer';
import { LOGGER, type Logger } from '../../platform/observability/logger';
import { Loop } from '../../platform/process/loop';

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
export class NoticeMailService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly loop: Loop;

  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly mailer: Mailer,
    private readonly config: Config,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.loop = new Loop(logger, clock, 'e-mail', 1_000, () => this.send(), true);
  }

  onApplicationBootstrap(): void {
    if (this.mailer.enabled) this.loop.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.loop.stop();
  }

  /** Sends a batch. @returns whether more may wait */
  private async send(): Promise<boolean> {
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
