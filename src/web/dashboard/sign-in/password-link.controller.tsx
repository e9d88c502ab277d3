import { Get, Post } from '@nestjs/common';
import { PASSWORD_MIN } from '../../../access/accounts/credentials.rules';
import {
  NO_PASSWORD_LINK,
  PasswordLinksService,
} from '../../../access/administration/password-links.service';
import { AttemptLimits } from '../../../access/attempt-limits/attempt-limits.service';
import { LinkButton } from '../../components/button';
import { Plain } from '../../components/document';
import { PostForm, TextInput } from '../../components/fields';
import { Form } from '../../http/form';
import { Asked, OnRefusal, OpenPages, type PageRequest } from '../../http/page-controller';
import { type PageResult, redirect } from '../../http/page-results';

/** Setting a password with a one-time link, and asking for one by e-mail. */
@OpenPages('dashboard/sign-in')
export class PasswordLinkController {
  constructor(
    private readonly links: PasswordLinksService,
    private readonly limits: AttemptLimits,
  ) {}

  @Get('link')
  open(@Asked() { query, response }: PageRequest): Promise<PageResult> {
    return this.choose({ form: new Form({ token: query('token') }), response });
  }

  async choose({ form, response }: Pick<PageRequest, 'form' | 'response'>): Promise<PageResult> {
    const email = await this.links.find(form.text('token'));
    if (email === null) {
      response.status(403);
      return (
        <DeadLink said={NO_PASSWORD_LINK} href="/dashboard/sign-in/forgot" next="Get a new link" />
      );
    }
    return (
      <Plain title="Set your password" help={email}>
        <PostForm form={form} action="/dashboard/sign-in/link">
          <input type="hidden" name="token" value={form.text('token')} />
          {/* For password managers. */}
          <input type="hidden" autocomplete="username" value={email} />
          <TextInput
            name="password"
            label="New password"
            type="password"
            autocomplete="new-password"
            help={`At least ${PASSWORD_MIN} characters. Several words make a good one.`}
            required
            autofocus
          />
          <button class="btn">Set password</button>
        </PostForm>
      </Plain>
    );
  }

  @Post('link')
  @OnRefusal('choose')
  async use(@Asked() { form, address }: PageRequest): Promise<PageResult> {
    await this.limits.take('passwordLinkByAddress', { address });
    await this.links.use(form.text('token'), form.text('password'));
    return redirect('/dashboard/sign-in?set=yes');
  }

  @Get('forgot')
  forgot(@Asked() { form, query }: Pick<PageRequest, 'form' | 'query'>): PageResult {
    if (!this.links.byMail)
      return (
        <Plain title="Forgot your password?">
          <p>
            Ask an administrator of this service for a one-time link: they find it on the page of
            your account. An operator can set a password with{' '}
            <code>quizctl accounts set-password</code>.
          </p>
          <SignInLink />
        </Plain>
      );
    if (query('sent') === 'yes')
      return (
        <Plain title="Check your inbox">
          <p>
            If there is an account with this address, a link to set a new password is on its way. It
            works once, within seven days.
          </p>
          <SignInLink />
        </Plain>
      );
    return (
      <Plain title="Forgot your password?" help="We send you a link to set a new one.">
        <PostForm form={form} action="/dashboard/sign-in/forgot">
          <TextInput
            name="email"
            label="E-mail address"
            type="email"
            autocomplete="username"
            required
            autofocus
          />
          <button class="btn">Send the link</button>
        </PostForm>
        <SignInLink />
      </Plain>
    );
  }

  @Post('forgot')
  @OnRefusal('forgot', 'email')
  async request(@Asked() { form, address }: PageRequest): Promise<PageResult> {
    if (this.links.byMail) await this.links.request(form.text('email'), address);
    return redirect('/dashboard/sign-in/forgot?sent=yes');
  }
}

/** A one-time link that works no longer. */
export const DeadLink = (props: { said: string; href: string; next: string }) => (
  <Plain title="This one-time link does not work">
    <p>{props.said}</p>
    <p>
      <LinkButton look="outline" href={props.href} text={props.next} />
    </p>
  </Plain>
);

const SignInLink = () => (
  <p class="foot">
    <a class="link" href="/dashboard/sign-in">
      Sign in
    </a>
  </p>
);
