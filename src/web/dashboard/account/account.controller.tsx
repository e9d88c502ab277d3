import { Get, Param, Post } from '@nestjs/common';
import { PasswordsService } from '../../../access/sessions/passwords.service';
import { SessionsService } from '../../../access/sessions/sessions.service';
import { refused, seeOther, type Answer } from '../../http/redirects';
import { attempt, Form, PostedForm } from '../../http/form';
import { SignedInPages } from '../../http/page-controller';
import { CurrentViewer, type Viewer } from '../../http/viewer';
import { AccountPage } from './account.page';

@SignedInPages('account')
export class AccountController {
  constructor(
    private readonly passwords: PasswordsService,
    private readonly sessions: SessionsService,
  ) {}

  @Get()
  show(@CurrentViewer() viewer: Viewer): Promise<Answer> {
    return this.page(viewer, new Form());
  }

  @Post('password')
  async changePassword(@CurrentViewer() viewer: Viewer, @PostedForm() form: Form): Promise<Answer> {
    const done = await attempt(form, () =>
      this.passwords.change(viewer, form.text('current'), form.text('password')),
    );
    if (done instanceof Form) return refused(done, await this.page(viewer, done));
    return seeOther(
      '/dashboard/account',
      'The password is changed. All other sessions have been ended.',
    );
  }

  @Post('sessions/:id/end')
  async endSession(
    @CurrentViewer() { accountId }: Viewer,
    @Param('id') id: string,
  ): Promise<Answer> {
    await this.sessions.end(accountId, id);
    return seeOther('/dashboard/account', 'The session is ended.');
  }

  @Post('sessions/end-others')
  async endOthers(@CurrentViewer() { accountId, sessionId }: Viewer): Promise<Answer> {
    await this.sessions.endAll(accountId, sessionId);
    return seeOther('/dashboard/account', 'All other sessions are ended.');
  }

  private async page(viewer: Viewer, form: Form) {
    const sessions = await this.sessions.list(viewer.accountId);
    return <AccountPage viewer={viewer} sessions={sessions} form={form} />;
  }
}
