import { Get, Param, Post } from '@nestjs/common';
import { PasswordsService } from '../../../access/sessions/passwords.service';
import { SessionsService } from '../../../access/sessions/sessions.service';
import { invalid, redirect, type PageResult } from '../../http/page-results';
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
  show(@CurrentViewer() viewer: Viewer): Promise<PageResult> {
    return this.page(viewer, new Form());
  }

  @Post('password')
  async changePassword(
    @CurrentViewer() viewer: Viewer,
    @PostedForm() form: Form,
  ): Promise<PageResult> {
    const done = await attempt(form, () =>
      this.passwords.change(viewer, form.text('current'), form.text('password')),
    );
    if (done instanceof Form) return invalid(done, await this.page(viewer, done));
    return redirect(
      '/dashboard/account',
      'The password is changed. All other sessions have been ended.',
    );
  }

  @Post('sessions/:id/end')
  async endSession(
    @CurrentViewer() { accountId }: Viewer,
    @Param('id') id: string,
  ): Promise<PageResult> {
    await this.sessions.end(accountId, id);
    return redirect('/dashboard/account', 'The session is ended.');
  }

  @Post('sessions/end-others')
  async endOthers(@CurrentViewer() { accountId, sessionId }: Viewer): Promise<PageResult> {
    await this.sessions.endAll(accountId, sessionId);
    return redirect('/dashboard/account', 'All other sessions are ended.');
  }

  private async page(viewer: Viewer, form: Form) {
    const sessions = await this.sessions.list(viewer.accountId);
    return <AccountPage viewer={viewer} sessions={sessions} form={form} />;
  }
}
