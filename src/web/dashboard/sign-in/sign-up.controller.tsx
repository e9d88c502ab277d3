import { Get, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AttemptLimits } from '../../../access/sessions/attempt-limits';
import { RegistrationService } from '../../../access/accounts/registration.service';
import { Config } from '../../../platform/config/config';
import { NotFound } from '../../../platform/errors/domain-errors';
import { invalid, redirect, type PageResult } from '../../http/page-results';
import { attempt, Form, PostedForm } from '../../http/form';
import { OpenPages } from '../../http/page-controller';
import { NewAccountPage } from './sign-in.page';
import { SignIn } from './sign-in.service';

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
  show(@Req() { viewer }: Request): PageResult {
    this.requireSwitch();
    return viewer ? redirect('/dashboard') : <SignUpPage form={new Form()} />;
  }

  @Post()
  async create(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @PostedForm() form: Form,
  ): Promise<PageResult> {
    this.requireSwitch();
    const done = await attempt(
      form,
      async () => {
        await this.limits.take('signUpByAddress', { address: request.ip ?? '' });
        const account = await this.registration.register(form.text('email'), form.text('password'));
        await this.signIn.as(account, request, response);
      },
      'email',
    );
    if (done instanceof Form) return invalid(done, <SignUpPage form={done} />);
    return redirect('/dashboard');
  }

  private requireSwitch(): void {
    if (!this.config.signUp) throw new NotFound('Page');
  }
}

function SignUpPage({ form }: { form: Form }) {
  return (
    <NewAccountPage
      form={form}
      title="Sign up"
      help="With a Free account you can read every public quiz."
      action="/dashboard/sign-up"
      button="Create account"
    />
  );
}
