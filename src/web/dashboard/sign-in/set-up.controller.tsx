import { Get, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AttemptLimits } from '../../../access/sessions/attempt-limits';
import { NO_LINK, RegistrationService } from '../../../access/accounts/registration.service';
import { Plain } from '../../components/document';
import { invalid, redirect, WithStatus, type PageResult } from '../../http/page-results';
import { attempt, Form, PostedForm } from '../../http/form';
import { OpenPages, QueryText } from '../../http/page-controller';
import { NewAccountPage } from './sign-in.page';
import { SignIn } from './sign-in.service';

/** The first administrator, once, with the one-time link that `npm start` has printed. */
@OpenPages('dashboard/set-up')
export class SetUpController {
  constructor(
    private readonly registration: RegistrationService,
    private readonly limits: AttemptLimits,
    private readonly signIn: SignIn,
  ) {}

  @Get()
  async show(@QueryText('token') token: string): Promise<PageResult> {
    return (await this.registration.isSetUpToken(token)) ? (
      <SetUpPage form={new Form({ token })} />
    ) : (
      new WithStatus(403, <NoLinkPage />)
    );
  }

  @Post()
  async create(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @PostedForm() form: Form,
  ): Promise<PageResult> {
    const done = await attempt(
      form,
      async () => {
        await this.limits.take('setUpByAddress', { address: request.ip ?? '' });
        const account = await this.registration.createAdministrator(form.text('token'), {
          email: form.text('email'),
          password: form.text('password'),
        });
        await this.signIn.as(account, request, response);
      },
      'email',
    );
    return done instanceof Form ? invalid(done, <SetUpPage form={done} />) : redirect('/dashboard');
  }
}

function SetUpPage({ form }: { form: Form }) {
  return (
    <NewAccountPage
      form={form}
      title="Welcome"
      help="Create the first administrator of this service."
      action="/dashboard/set-up"
      button="Create administrator"
    >
      <input type="hidden" name="token" value={form.text('token')} />
    </NewAccountPage>
  );
}

function NoLinkPage() {
  return (
    <Plain title="This one-time link does not work">
      <p>{NO_LINK}</p>
      <p>
        <a class="btn" data-variant="outline" href="/dashboard/sign-in">
          Sign in
        </a>
      </p>
    </Plain>
  );
}
