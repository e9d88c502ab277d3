import { Get, Post } from '@nestjs/common';
import {
  EmailChangesService,
  NO_EMAIL_LINK,
} from '../../../access/administration/email-changes.service';
import { AttemptLimits } from '../../../access/attempt-limits/attempt-limits.service';
import { LinkButton } from '../../components/button';
import { Plain } from '../../components/document';
import { PostForm } from '../../components/fields';
import { Form } from '../../http/form';
import { Asked, OnRefusal, OpenPages, type PageRequest } from '../../http/page-controller';
import type { PageResult } from '../../http/page-results';
import { DeadLink } from './dead-link.page';

/** Confirming a new e-mail address. By a button: mail programs open links to look at them. */
@OpenPages('dashboard/sign-in')
export class EmailLinkController {
  constructor(
    private readonly emails: EmailChangesService,
    private readonly limits: AttemptLimits,
  ) {}

  @Get('e-mail')
  open(@Asked() { query, response, messages }: PageRequest): Promise<PageResult> {
    return this.ask({ form: new Form({ token: query('token') }), response, messages });
  }

  async ask({
    form,
    response,
    messages: { t },
  }: Pick<PageRequest, 'form' | 'response' | 'messages'>): Promise<PageResult> {
    const email = await this.emails.find(form.text('token'));
    if (email === null) {
      response.status(403);
      return <DeadLink said={NO_EMAIL_LINK} href="/dashboard/account" next={t('email.account')} />;
    }
    return (
      <Plain title={t('email.confirm')} help={email}>
        <PostForm form={form} action="/dashboard/sign-in/e-mail">
          <input type="hidden" name="token" value={form.text('token')} />
          <button class="btn">{t('email.use')}</button>
        </PostForm>
      </Plain>
    );
  }

  @Post('e-mail')
  @OnRefusal('ask')
  async confirm(@Asked() { form, address, messages }: PageRequest): Promise<PageResult> {
    await this.limits.take('passwordLinkByAddress', { address });
    const email = await this.emails.confirm(form.text('token'), messages);
    const { t } = messages;
    return (
      <Plain title={t('email.changed')} help={email}>
        <p>{t('email.changedText')}</p>
        <p>
          <LinkButton look="outline" href="/dashboard" text={t('email.continue')} />
        </p>
      </Plain>
    );
  }
}
