import { Get, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { SessionsService } from '../../../access/sessions/sessions.service';
import { RegistrationService } from '../../../access/accounts/registration.service';
import { Config } from '../../../platform/config/config';
import { invalid, redirect, type PageResult } from '../../http/page-results';
import { attempt, Form, PostedForm } from '../../http/form';
import { nextPath } from '../../http/page-security';
import { OpenPages, QueryText } from '../../http/page-controller';
import { sessionCookie } from '../../http/cookies';
import { SignInPage } from './sign-in.page';
import { SignIn } from './sign-in.service';

@OpenPages('dashboard')
export class SignInController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly registration: RegistrationService,
    private readonly signIn: SignIn,
    private readonly config: Config,
  ) {}

  @Get('sign-in')
  async show(@Req() { viewer }: Request, @QueryText('next') wanted: string): Promise<PageResult> {
    const next = nextPath(wanted);
    if (viewer) return redirect(next);
    const setUpNeeded = await this.registration.needsAdministrator();
    return (
      <SignInPage form={new Form({ next })} signUp={this.config.signUp} setUpNeeded={setUpNeeded} />
    );
  }

  @Post('sign-in')
  async enter(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @PostedForm() form: Form,
  ): Promise<PageResult> {
    const credentials = { email: form.text('email'), password: form.text('password') };
    const done = await attempt(form, () => this.signIn.with(credentials, request, response));
    if (done instanceof Form)
      return invalid(done, <SignInPage form={done} signUp={this.config.signUp} />);
    return redirect(nextPath(form.text('next')));
  }

  @Post('sign-out')
  async leave(
    @Req() { viewer }: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PageResult> {
    if (viewer) await this.sessions.endIfOpen(viewer.accountId, viewer.sessionId);
    sessionCookie.clear(response, this.config);
    return redirect('/dashboard/sign-in');
  }
}
