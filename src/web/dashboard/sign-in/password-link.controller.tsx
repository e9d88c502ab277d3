import { Get, Post } from '@nestjs/common';
import { PASSWORD_MIN } from '../../../access/accounts/credentials.rules';
import {
  NO_PASSWORD_LINK,
  PasswordLinksService,
} from '../../../access/administration/password-links.service';
import { AttemptLimits } from '../../../access/attempt-limits/attempt-limits.service';
import { Plain } from '../../components/document';
import { PostForm, TextInput } from '../../components/fields';
import { Form } from '../../http/form';
import { useMessages } from '../../http/page-context';
import { Asked, OnRefusal, OpenPages, type PageRequest } from '../../http/page-controller';
import { type PageResult, redirect } from '../../http/page-results';
import { DeadLink } from './dead-link.page';

/** Setting a password with a one-time link, and asking for one by e-mail. */
@OpenPages('dashboard/sign-in')
export class PasswordLinkController {
  constructor(
    private readonly links: PasswordLinksService,
    private readonly limits: AttemptLimits,
  ) {}

  @Get('link')
  open(@Asked() { query, response, messages }: PageRequest): Promise<PageResult> {
    return this.choose({ form: new Form({ token: query('token') }), response, messages });
  }

  async choose({
    form,
    response,
    messages: { t },
  }: Pick<PageRequest, 'form' | 'response' | 'messages'>): Promise<PageResult> {
    const email = await this.links.find(form.text('token'));
    if (email === null) {
      response.status(403);
      return (
        <DeadLink
          said={NO_PASSWORD_LINK}
          href="/dashboard/sign-in/forgot"
          next={t('password.newLink')}
        />
      );
    }
    return (
      <Plain title={t('password.title')} help={email}>
        <PostForm form={form} action="/dashboard/sign-in/link">
          <input type="hidden" name="token" value={form.text('token')} />
          {/* For password managers. */}
          <input type="hidden" autocomplete="username" value={email} />
          <TextInput
            name="password"
            label={t('password.new')}
            type="password"
            autocomplete="new-password"
            help={t('password.rule', { least: PASSWORD_MIN })}
            required
            autofocus
          />
          <button class="btn">{t('password.set')}</button>
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
  forgot(@Asked() asked: PageRequest): PageResult {
    const { form, query, messages } = asked;
    const { t, rich } = messages;
    if (!this.links.byMail)
      return (
        <Plain title={t('signIn.forgot')}>
          <p>{rich('password.ask', { command: <code>quizctl accounts set-password</code> })}</p>
          <SignInLink />
        </Plain>
      );
    if (query('sent') === 'yes')
      return (
        <Plain title={t('password.sent')}>
          <p>{t('password.sentText')}</p>
          <SignInLink />
        </Plain>
      );
    return (
      <Plain title={t('signIn.forgot')} help={t('password.weSend')}>
        <PostForm form={form} action="/dashboard/sign-in/forgot">
          <TextInput
            name="email"
            label={t('signIn.email')}
            type="email"
            autocomplete="username"
            required
            autofocus
          />
          <button class="btn">{t('password.send')}</button>
        </PostForm>
        <SignInLink />
      </Plain>
    );
  }

  @Post('forgot')
  @OnRefusal('forgot', 'email')
  async request(@Asked() { form, address, messages }: PageRequest): Promise<PageResult> {
    if (this.links.byMail) await this.links.request(form.text('email'), address, messages);
    return redirect('/dashboard/sign-in/forgot?sent=yes');
  }
}

const SignInLink = () => (
  <p class="foot">
    <a class="link" href="/dashboard/sign-in">
      {useMessages().t('signIn.title')}
    </a>
  </p>
);
