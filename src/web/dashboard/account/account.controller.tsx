import { Get, Post } from '@nestjs/common';
import { PASSWORD_MIN } from '../../../access/accounts/credentials.rules';
import { PLAN_NAMES, PLANS } from '../../../access/accounts/plan.rules';
import { AccountAdministrationService } from '../../../access/administration/account-administration.service';
import { NoticesService } from '../../../access/notices/notices.service';
import { PasswordsService } from '../../../access/sessions/passwords.service';
import { SessionsService } from '../../../access/sessions/sessions.service';
import { archiveDownload, ExportsService } from '../../../import-export/exports/exports.service';
import { Config } from '../../../platform/config/config';
import { LIMITS } from '../../../platform/limits/limits';
import { Mailer } from '../../../platform/mail/mailer';
import { LinkButton, PostButton } from '../../components/button';
import { PostForm, TextInput } from '../../components/fields';
import { count, Time } from '../../components/format';
import { Page } from '../../components/page';
import { Badge, Facts, Panel, Section } from '../../components/section';
import { Table } from '../../components/table';
import { fieldError } from '../../http/form';
import { Asked, OnRefusal, type PageRequest, SignedInPages } from '../../http/page-controller';
import { type PageResult, redirect } from '../../http/page-results';
import { PlanRequest } from '../quizzes/quiz-parts';

const AT = '/dashboard/account';

@SignedInPages('account')
export class AccountController {
  constructor(
    private readonly passwords: PasswordsService,
    private readonly sessions: SessionsService,
    private readonly administration: AccountAdministrationService,
    private readonly notices: NoticesService,
    private readonly mailer: Mailer,
    private readonly exports: ExportsService,
    private readonly config: Config,
  ) {}

  @Get()
  async show(@Asked() { viewer, form }: PageRequest): Promise<PageResult> {
    const sessions = await this.sessions.list(viewer.accountId);
    const mailed = await this.notices.areMailed(viewer.accountId);
    const isLimited = !viewer.isAdmin && viewer.plan !== 'pro';
    const takes = isLimited ? await this.administration.decisionTime() : null;
    return (
      <Page title="Account" help="Your password, and where you are signed in.">
        <Panel>
          <Facts
            of={{
              'E-mail address': viewer.email,
              Plan: PLAN_NAMES[viewer.plan] + (viewer.isAdmin ? ', administrator' : ''),
              'Account id': <span class="mono">{viewer.accountId}</span>,
            }}
          />
        </Panel>
        {isLimited && (
          <Section
            title="Plan"
            help={
              viewer.plan === 'free'
                ? `Free: ${count(LIMITS.content.freeQuizzes.value, 'quiz', 'quizzes')}${this.config.unlistedLinks ? ' that you share by link' : ', as drafts'}. Starter and Pro: more quizzes, public ones, imports and the API.`
                : 'Pro allows more quizzes.'
            }
          >
            <PlanRequest />
            <p class="muted">{nextOf(takes)}</p>
            <div class="buttons after">
              {PLANS.slice(PLANS.indexOf(viewer.plan) + 1)
                .filter((plan) => plan !== viewer.requestedPlan)
                .map((plan) => (
                  <PostButton
                    action={`${AT}/plan`}
                    fields={{ plan }}
                    text={`Ask for ${PLAN_NAMES[plan]}`}
                  />
                ))}
            </div>
          </Section>
        )}
        {this.mailer.enabled && (
          <Section
            title="E-mail"
            help={`Notices are ${mailed ? 'also' : 'not'} sent to ${viewer.email}.`}
          >
            <PostButton
              action={`${AT}/e-mail`}
              fields={{ notices: mailed ? 'off' : 'on' }}
              text={mailed ? 'Stop e-mails' : 'Send e-mails'}
            />
          </Section>
        )}
        <Section title="E-mail address and deletion" help="Both need your password.">
          <div class="buttons">
            <LinkButton href={`${AT}/e-mail-address`} text="Change e-mail address" />
            <LinkButton href={`${AT}/delete`} text="Delete account" />
          </div>
        </Section>
        <Section
          title="Sessions"
          help="Browsers that are signed in. If you don’t recognise one, end it and change your password."
        >
          <Table
            label="Sessions"
            rows={sessions}
            columns={{
              Browser: ({ userAgent }) => (
                <strong title={userAgent || undefined}>{browserName(userAgent)}</strong>
              ),
              Address: ({ address }) => <span class="mono">{address}</span>,
              'Signed in': ({ createdAt }) => <Time at={createdAt} />,
              'Last seen': ({ lastSeenAt }) => <Time at={lastSeenAt} />,
              Actions: ({ id }) =>
                id === viewer.sessionId ? (
                  <Badge variant="good">this session</Badge>
                ) : (
                  <PostButton action={`${AT}/sessions/${id}/end`} text="End" />
                ),
            }}
          />
          {sessions.length > 1 && (
            <PostButton action={`${AT}/sessions/end-others`} text="End all other sessions" />
          )}
        </Section>
        <Section
          title="Your data"
          help="A ZIP archive of your quizzes with their results. You can import it here, or into another deployment."
        >
          <div class="buttons">
            <a class="btn btn-secondary" href={`${AT}/export`} download>
              Export everything
            </a>
          </div>
        </Section>
        <Section
          title="Password"
          help="A change ends all other sessions. Your API keys stay as they are."
        >
          <PostForm form={form} action={`${AT}/password`}>
            <TextInput
              name="current"
              label="Current password"
              type="password"
              autocomplete="current-password"
              required
            />
            <TextInput
              name="password"
              label="New password"
              type="password"
              autocomplete="new-password"
              help={`At least ${PASSWORD_MIN} characters.`}
              required
            />
            <div class="buttons">
              <button class="btn">Change password</button>
            </div>
          </PostForm>
        </Section>
      </Page>
    );
  }

  @Get('export')
  exportAccount(@Asked() { viewer, response }: PageRequest): PageResult {
    return archiveDownload(response, this.exports.account(viewer.accountId));
  }

  @Post('plan')
  @OnRefusal('show')
  async requestPlan(@Asked() { accountId, form }: PageRequest): Promise<PageResult> {
    const plan = PLANS.find((name) => name === form.text('plan'));
    if (!plan || plan === 'free') throw fieldError('', 'Choose the Starter or the Pro plan.');
    await this.administration.requestPlan(accountId, plan);
    return redirect(
      form.text('back') === 'overview' ? '/dashboard' : AT,
      `You have asked for the ${PLAN_NAMES[plan]} plan. A notice tells you what an administrator has decided.`,
    );
  }

  @Post('e-mail')
  async setMailed(@Asked() { accountId, form }: PageRequest): Promise<PageResult> {
    await this.notices.setMailed(accountId, form.text('notices') === 'on');
    return redirect(AT);
  }

  @Post('password')
  @OnRefusal('show')
  async changePassword(@Asked() { viewer, form }: PageRequest): Promise<PageResult> {
    await this.passwords.change(viewer, form.text('current'), form.text('password'));
    return redirect(AT, 'The password is changed. All other sessions have been ended.');
  }

  @Post('sessions/:id/end')
  async endSession(@Asked() { accountId, id }: PageRequest): Promise<PageResult> {
    await this.sessions.end(accountId, id);
    return redirect(AT, 'The session is ended.');
  }

  @Post('sessions/end-others')
  async endOthers(@Asked() { viewer }: PageRequest): Promise<PageResult> {
    await this.sessions.endAll(viewer.accountId, viewer.sessionId);
    return redirect(AT, 'All other sessions are ended.');
  }
}

/** What happens after a request, and how long it takes. @param takes the median of the last decisions, in seconds */
function nextOf(takes: number | null): string {
  const how =
    'An administrator sees your request at once and decides by hand. A notice tells you; nothing has to be paid here.';
  if (takes === null) return `${how} How long that takes depends on the administrator.`;
  const hours = Math.ceil(takes / 3_600);
  const time =
    hours <= 1 ? 'an hour' : hours < 48 ? `${hours} hours` : `${Math.ceil(hours / 24)} days`;
  return `${how} Lately half of the requests were decided within ${time}.`;
}

const BROWSERS: [RegExp, string][] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrom(e|ium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const SYSTEMS: [RegExp, string][] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux|X11/, 'Linux'],
];

const find = (names: [RegExp, string][], text: string) =>
  names.find(([pattern]) => pattern.test(text))?.[1];

/** `Firefox on Linux`: good enough to recognise your own browsers. */
function browserName(userAgent: string): string {
  const browser = find(BROWSERS, userAgent);
  const system = find(SYSTEMS, userAgent);
  if (!browser) return userAgent.slice(0, 40) || 'Unknown browser';
  return system ? `${browser} on ${system}` : browser;
}
