import { Inject, Injectable } from '@nestjs/common';
import type { Transporter } from 'nodemailer';
import { Config } from '../config/config';
import { LOGGER, type Logger } from '../observability/logger';

/** Longer than mail servers usually take, and shorter than a person waits. */
const TIMEOUT_MS = 10_000;

/**
 * Sends e-mail if SMTP_URL is set. Notices are also shown in the dashboard. A link that a user asks for, to set a password
 * or to confirm an address, is only in its e-mail; one that an administrator issues is also shown to them.
 */
@Injectable()
export class Mailer {
  /** The library is loaded only if it is used. */
  private readonly transport: Promise<Transporter> | null;
  private readonly from: string;

  constructor(
    { smtpUrl, mailFrom }: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const timeouts = {
      dnsTimeout: TIMEOUT_MS,
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
    };
    this.transport =
      smtpUrl === null
        ? null
        : import('nodemailer').then(({ createTransport }) =>
            createTransport({ url: smtpUrl, ...timeouts }),
          );
    this.from = mailFrom;
  }

  get enabled(): boolean {
    return this.transport !== null;
  }

  /** @returns whether the mail server has taken it; a failure is logged */
  async send(to: string, subject: string, text: string): Promise<boolean> {
    if (!this.transport) return false;
    try {
      await (await this.transport).sendMail({ from: this.from, to, subject, text });
      return true;
    } catch (error) {
      const { code, command, responseCode } = error as Record<string, unknown>;
      // Where a server refuses a recipient or the message, its reply may contain the address, which must not be logged.
      const isOfMessage = code === 'EENVELOPE' || code === 'EMESSAGE';
      const reason = isOfMessage ? { code, command, responseCode } : { err: error };
      this.logger.warn(reason, 'an e-mail was not sent');
      return false;
    }
  }
}
