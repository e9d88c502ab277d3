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
import { DeadLink } from './password-link.controller';

/** Confirming a new e-mail address. By a button: mail programs open links to look at them. */
@OpenPages('dashboard/sign-in')
export class EmailLinkController {
  constructor(
    private readonly emails: EmailChangesService,
    private readonly limits: AttemptLimits,
  ) {}

  @Get('e-mail')
  open(@Asked() { query, response }: PageRequest): Promise<PageResult> {
    return this.ask({ form: new Form({ token: query('token') }), response });
  }

  async ask({ form, response }: Pick<PageRequest, 'form' | 'response'>): Promise<PageResult> {
    const email = await this.emails.find(form.text('token'));
    if (email === null) {
      response.status(403);
      return <DeadLink said={NO_EMAIL_LINK} href="/dashboard/account" next="Account" />;
    }
    return (
      <Plain title="Confirm your e-mail address" help={email}>
        <PostForm form={form} action="/dashboard/sign-in/e-mail">
          <input type="hidden" name="token" value={form.text('token')} />
          <button class="btn">Use this address</button>
        </PostForm>
      </Plain>
    );
  }

  @Post('e-mail')
  @OnRefusal('ask')
  async confirm(@Asked() { form, address }: PageRequest): Promise<PageResult> {
    await this.limits.take('passwordLinkByAddress', { address });
    const email = await this.emails.confirm(form.text('token'));
    return (
      <Plain title="Your e-mail address is changed" help={email}>
        <p>Sign in with it from now on. The earlier address was told about the change.</p>
        <p>
          <LinkButton look="outline" href="/dashboard" text="Continue" />
        </p>
      </Plain>
    );
  }
}
