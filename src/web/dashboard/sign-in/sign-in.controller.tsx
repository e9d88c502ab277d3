import { Get, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { RegistrationService } from '../../../access/accounts/registration.service';
import { AttemptLimits } from '../../../access/sessions/attempt-limits';
import { SessionsService } from '../../../access/sessions/sessions.service';
import { Config } from '../../../platform/config/config';
import { NotFound } from '../../../platform/errors/domain-errors';
import { sessionCookie } from '../../http/cookies';
import { Form } from '../../http/form';
import { Asked, OnRefusal, OpenPages, type PageRequest } from '../../http/page-controller';
import { redirect, WithStatus, type PageResult } from '../../http/page-results';
import { nextPath } from '../../http/page-security';
import { NoLinkPage, SetUpPage, SignInPage, SignUpPage } from './sign-in.page';
import { SignIn } from './sign-in.service';

const credentialsOf = (form: Form) => ({
  email: form.text('email'),
  password: form.text('password'),
});

@OpenPages('dashboard')
export class SignInController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly registration: RegistrationService,
    private readonly signIn: SignIn,
    private readonly config: Config,
  ) {}

  @Get('sign-in')
  async show(@Asked() { request, query }: PageRequest): Promise<PageResult> {
    const next = nextPath(query('next'));
    if (request.viewer) return redirect(next);
    const setUpNeeded = await this.registration.needsAdministrator();
    const { signUp } = this.config;
    return <SignInPage form={new Form({ next })} signUp={signUp} setUpNeeded={setUpNeeded} />;
  }

  @Post('sign-in')
  @OnRefusal('form')
  async enter(
    @Asked() { request, form }: PageRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PageResult> {
    await this.signIn.with(credentialsOf(form), request, response);
    return redirect(nextPath(form.text('next')));
  }

  form({ form }: PageRequest) {
    return <SignInPage form={form} signUp={this.config.signUp} />;
  }

  @Post('sign-out')
  async leave(
    @Asked() { request: { viewer } }: PageRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PageResult> {
    if (viewer) await this.sessions.endIfOpen(viewer.accountId, viewer.sessionId);
    sessionCookie.clear(response, this.config);
    return redirect('/dashboard/sign-in');
  }
}

/** Anybody may create a Free account, where SIGN_UP is on. */
@OpenPages('dashboard/sign-up')
export class SignUpController {
  constructor(
    private readonly registration: RegistrationService,
    private readonly limits: AttemptLimits,
    private readonly signIn: SignIn,
    private readonly config: Config,
  ) {}

  @Get()
  show(@Asked() asked: PageRequest): PageResult {
    const { request } = asked;
    this.requireSwitch();
    return request.viewer ? redirect('/dashboard') : this.form(asked);
  }

  form({ form }: PageRequest) {
    return <SignUpPage form={form} />;
  }

  @Post()
  @OnRefusal('form', 'email')
  async create(
    @Asked() { request, form }: PageRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PageResult> {
    this.requireSwitch();
    await this.limits.take('signUpByAddress', { address: request.ip ?? '' });
    const { email, password } = credentialsOf(form);
    const account = await this.registration.register(email, password);
    await this.signIn.as(account, request, response);
    return redirect('/dashboard');
  }

  private requireSwitch(): void {
    if (!this.config.signUp) throw new NotFound('Page');
  }
}

/** The first administrator, once, with the one-time link that `npm start` has printed. */
@OpenPages('dashboard/set-up')
export class SetUpController {
  constructor(
    private readonly registration: RegistrationService,
    private readonly limits: AttemptLimits,
    private readonly signIn: SignIn,
  ) {}

  @Get()
  async show(@Asked() { query }: PageRequest): Promise<PageResult> {
    const token = query('token');
    return (await this.registration.isSetUpToken(token)) ? (
      <SetUpPage form={new Form({ token })} />
    ) : (
      new WithStatus(403, <NoLinkPage />)
    );
  }

  @Post()
  @OnRefusal('form', 'email')
  async create(
    @Asked() { request, form }: PageRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PageResult> {
    await this.limits.take('setUpByAddress', { address: request.ip ?? '' });
    const token = form.text('token');
    const account = await this.registration.createAdministrator(token, credentialsOf(form));
    await this.signIn.as(account, request, response);
    return redirect('/dashboard');
  }

  form({ form }: PageRequest) {
    return <SetUpPage form={form} />;
  }
}
