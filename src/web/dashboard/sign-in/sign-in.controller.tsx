import { Get, Post } from '@nestjs/common';
import { PASSWORD_MIN } from '../../../access/accounts/credentials.rules';
import { NO_LINK, RegistrationService } from '../../../access/administration/registration.service';
import { ApiKeysService } from '../../../access/api-keys/api-keys.service';
import { AttemptLimits } from '../../../access/attempt-limits/attempt-limits.service';
import { SessionsService } from '../../../access/sessions/sessions.service';
import { SignInsService } from '../../../access/sessions/sign-ins.service';
import { Config } from '../../../platform/config/config';
import { NotFound } from '../../../platform/errors/domain-errors';
import { Plain } from '../../components/document';
import { PostForm, TextInput } from '../../components/fields';
import { Link } from '../../components/format';
import { deviceCookie, sessionCookie } from '../../http/cookies';
import { Form } from '../../http/form';
import { useMessages } from '../../http/page-context';
import { Asked, OnRefusal, OpenPages, type PageRequest } from '../../http/page-controller';
import { type PageResult, redirect } from '../../http/page-results';
import { nextPath } from '../../http/page-security';
import { IssuedKeyPage } from '../keys/keys.page';
import { DeadLink } from './dead-link.page';

/** What shows a form, blank or refused. */
type Shown = Pick<PageRequest, 'form' | 'messages'>;

const credentialsOf = (form: Form) => form.texts('email', 'password');

const browserOf = ({ request, address }: PageRequest) => ({
  userAgent: request.get('user-agent') ?? '',
  address,
});

/** Signing in and out, signing up, and the first administrator. */
@OpenPages('dashboard')
export class SignInController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly signIns: SignInsService,
    private readonly registration: RegistrationService,
    private readonly keys: ApiKeysService,
    private readonly limits: AttemptLimits,
    private readonly config: Config,
  ) {}

  @Get('sign-in')
  async show(@Asked() { request, query, messages }: PageRequest): Promise<PageResult> {
    const next = nextPath(query('next'));
    if (request.viewer) return redirect(next);
    return this.form({ form: new Form({ next, set: query('set') }), messages });
  }

  @Post('sign-in')
  @OnRefusal('form')
  async enter(@Asked() asked: PageRequest): Promise<PageResult> {
    const credentials = credentialsOf(asked.form);
    const device = deviceCookie.read(asked.request, this.config);
    const token = await this.signIns.signIn(credentials, browserOf(asked), device);
    await this.remember(asked, token, credentials.email);
    return redirect(nextPath(asked.form.text('next')));
  }

  async form({ form, messages: { t, rich } }: Shown) {
    return (
      <Plain title={t('signIn.title')} help={t('signIn.help')}>
        {(await this.registration.needsAdministrator()) && (
          <p class="notice">{t('signIn.setUpNeeded')}</p>
        )}
        {form.text('set') === 'yes' && (
          <p class="notice" role="status">
            {t('signIn.set')}
          </p>
        )}
        <PostForm form={form} action="/dashboard/sign-in">
          <input type="hidden" name="next" value={form.text('next')} />
          <Credentials />
          <button class="btn">{t('signIn.title')}</button>
        </PostForm>
        <p class="foot">
          <Link to="/dashboard/sign-in/forgot">{t('signIn.forgot')}</Link>
        </p>
        {this.config.signUp && (
          <p class="foot">
            {rich('signIn.noAccount', {
              link: (text) => <Link to="/dashboard/sign-up">{text}</Link>,
            })}
          </p>
        )}
      </Plain>
    );
  }

  @Post('sign-out')
  async leave(@Asked() { request, response }: PageRequest): Promise<PageResult> {
    const { viewer } = request;
    if (viewer) await this.sessions.endIfOpen(viewer.accountId, viewer.sessionId);
    sessionCookie.clear(response, this.config);
    return redirect('/dashboard/sign-in');
  }

  /** Anybody may create a Free account if SIGN_UP is on. */
  @Get('sign-up')
  showSignUp(@Asked() asked: PageRequest): PageResult {
    this.requireSignUp();
    if (asked.request.viewer) return redirect('/dashboard');
    const form = new Form({ key: asked.query('key') });
    return this.signUpForm({ form, messages: asked.messages });
  }

  signUpForm({ form, messages: { t } }: Shown) {
    return (
      <Plain
        title={t('signUp.title')}
        help={t(this.config.unlistedLinks ? 'signUp.helpLinks' : 'signUp.help')}
      >
        <PostForm form={form} action="/dashboard/sign-up">
          <input type="hidden" name="key" value={form.text('key')} />
          <Credentials isNew />
          <button class="btn">{t('signUp.create')}</button>
        </PostForm>
        <HasAccount />
      </Plain>
    );
  }

  @Post('sign-up')
  @OnRefusal('signUpForm', 'email')
  async signUp(@Asked() asked: PageRequest): Promise<PageResult> {
    this.requireSignUp();
    await this.limits.take('signUpByAddress', { address: asked.address });
    const { email, password } = credentialsOf(asked.form);
    const account = await this.registration.register(email, password);
    const entered = await this.enterAs(asked, account);
    if (asked.form.text('key') !== 'yes' || !asked.request.viewer) return entered;
    // Whoever signs up for a key gets it at once.
    const name = asked.messages.t('signUp.firstKey');
    return <IssuedKeyPage {...await this.keys.issueOwn(account.id, name, null)} />;
  }

  private requireSignUp(): void {
    if (!this.config.signUp) throw new NotFound('Page');
  }

  /** The first administrator, once, with the one-time link that `npm start` or `quizctl set-up-link` has printed. */
  @Get('set-up')
  async showSetUp(@Asked() { query, response, messages }: PageRequest): Promise<PageResult> {
    const token = query('token');
    if (await this.registration.isSetUpToken(token))
      return this.setUpForm({ form: new Form({ token }), messages });
    response.status(403);
    return <DeadLink said={NO_LINK} href="/dashboard/sign-in" next={messages.t('signIn.title')} />;
  }

  async setUpForm({ form, messages: { t } }: Shown) {
    return (
      <Plain title={t('setUp.title')} help={t('setUp.help')}>
        <PostForm form={form} action="/dashboard/set-up">
          <input type="hidden" name="token" value={form.text('token')} />
          <Credentials isNew />
          {(await this.registration.hasDemoAccount()) && <p>{t('setUp.demo')}</p>}
          <button class="btn">{t('setUp.create')}</button>
        </PostForm>
        <HasAccount />
      </Plain>
    );
  }

  @Post('set-up')
  @OnRefusal('setUpForm', 'email')
  async setUp(@Asked() asked: PageRequest): Promise<PageResult> {
    await this.limits.take('setUpByAddress', { address: asked.address });
    const token = asked.form.text('token');
    const credentials = credentialsOf(asked.form);
    return this.enterAs(asked, await this.registration.createAdministrator(token, credentials));
  }

  /** Signs in to an account that was just created. */
  private async enterAs(asked: PageRequest, account: { id: string; email: string }) {
    const token = await this.sessions.start(account.id, browserOf(asked));
    if (token) {
      await this.remember(asked, token, account.email);
      asked.request.viewer = (await this.sessions.find(token)) ?? undefined;
    }
    return redirect('/dashboard');
  }

  /**
   * Sets the cookie of a session that was just opened, and ends the browser's old one, so that nobody can prepare a
   * session for somebody else.
   */
  private async remember({ request, response }: PageRequest, token: string, email: string) {
    const { viewer } = request;
    if (viewer) await this.sessions.endIfOpen(viewer.accountId, viewer.sessionId);
    sessionCookie.set(response, this.config, token);
    const device = deviceCookie.read(request, this.config);
    if (this.signIns.deviceOf(device, email) === null)
      deviceCookie.set(response, this.config, this.signIns.issueDevice(email));
  }
}

function HasAccount() {
  const { rich } = useMessages();
  return (
    <p class="foot">
      {rich('signUp.hasAccount', { link: (text) => <Link to="/dashboard/sign-in">{text}</Link> })}
    </p>
  );
}

/** @param isNew a new password is chosen: browsers suggest one, and the rule is shown */
function Credentials({ isNew = false }: { isNew?: boolean }) {
  const { t } = useMessages();
  const rule = t('password.rule', { least: PASSWORD_MIN });
  return (
    <>
      <TextInput
        name="email"
        label={t('signIn.email')}
        type="email"
        autocomplete="username"
        required
        autofocus
      />
      <TextInput
        name="password"
        label={t('signIn.password')}
        type="password"
        autocomplete={isNew ? 'new-password' : 'current-password'}
        help={isNew ? rule : undefined}
        required
      />
    </>
  );
}
