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
import type { Messages } from '../../../platform/messages/messages';
import { LinkButton, PostButton } from '../../components/button';
import { TextInput } from '../../components/fields';
import { Time } from '../../components/format';
import { Page } from '../../components/page';
import { Badge, Facts, Panel, Section } from '../../components/section';
import { Table } from '../../components/table';
import { fieldError } from '../../http/form';
import { Asked, OnRefusal, type PageRequest, SignedInPages } from '../../http/page-controller';
import { type PageResult, redirect } from '../../http/page-results';
import { PlanRequest } from '../quizzes/quiz-parts';
import { CurrentPassword } from './account-changes.controller';
import { browserName } from './browser-name';

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
  async show(@Asked() { viewer, form, messages }: PageRequest): Promise<PageResult> {
    const { t } = messages;
    const sessions = await this.sessions.list(viewer.accountId);
    const mailed = await this.notices.areMailed(viewer.accountId);
    const isLimited = !viewer.isAdmin && viewer.plan !== 'pro';
    const takes = isLimited ? await this.administration.decisionTime() : null;
    return (
      <Page title={t('nav.account')} help={t('account.help')} form={form}>
        <Panel>
          <Facts
            rows={[
              [t('signIn.email'), viewer.email],
              [
                t('account.plan'),
                viewer.isAdmin
                  ? t('account.administrator', { plan: PLAN_NAMES[viewer.plan] })
                  : PLAN_NAMES[viewer.plan],
              ],
              [t('account.id'), <span class="mono">{viewer.accountId}</span>],
            ]}
          />
        </Panel>
        {isLimited && (
          <Section
            title={t('account.plan')}
            help={
              viewer.plan === 'free'
                ? t(this.config.unlistedLinks ? 'account.planFreeShare' : 'account.planFree', {
                    count: LIMITS.content.freeQuizzes.value,
                  })
                : t('account.pro')
            }
          >
            <PlanRequest />
            <p class="muted">{nextOf(takes, messages)}</p>
            <div class="buttons after">
              {PLANS.slice(PLANS.indexOf(viewer.plan) + 1)
                .filter((plan) => plan !== viewer.requestedPlan)
                .map((plan) => (
                  <PostButton
                    action={`${AT}/plan`}
                    fields={{ plan }}
                    text={t('account.askFor', { plan: PLAN_NAMES[plan] })}
                  />
                ))}
            </div>
          </Section>
        )}
        {this.mailer.enabled && (
          <Section
            title={t('account.mail')}
            help={t(mailed ? 'account.mailed' : 'account.notMailed', { email: viewer.email })}
          >
            <PostButton
              action={`${AT}/e-mail`}
              fields={{ notices: mailed ? 'off' : 'on' }}
              text={mailed ? t('account.stopMail') : t('account.sendMail')}
            />
          </Section>
        )}
        <Section title={t('account.changes')} help={t('account.changesHelp')}>
          <div class="buttons">
            <LinkButton href={`${AT}/e-mail-address`} text={t('account.changeEmail')} />
            <LinkButton href={`${AT}/delete`} text={t('account.delete')} />
          </div>
        </Section>
        <Section title={t('account.sessions')} help={t('account.sessionsHelp')}>
          <Table
            label={t('account.sessions')}
            rows={sessions}
            columns={[
              [
                t('account.browser'),
                ({ userAgent }) => (
                  <strong title={userAgent || undefined}>{browserName(userAgent, messages)}</strong>
                ),
              ],
              [t('account.address'), ({ address }) => <span class="mono">{address}</span>],
              [t('account.signedIn'), ({ createdAt }) => <Time at={createdAt} />],
              [t('account.lastSeen'), ({ lastSeenAt }) => <Time at={lastSeenAt} />],
            ]}
            actions={({ id }) =>
              id === viewer.sessionId ? (
                <Badge variant="good">{t('account.thisSession')}</Badge>
              ) : (
                <PostButton action={`${AT}/sessions/${id}/end`} text={t('account.end')} />
              )
            }
          />
          {sessions.length > 1 && (
            <PostButton action={`${AT}/sessions/end-others`} text={t('account.endOthers')} />
          )}
        </Section>
        <Section title={t('overview.developers')} help={t('account.developersHelp')}>
          <div class="buttons">
            <LinkButton href="/dashboard/keys" text={t('nav.keys')} />
            <LinkButton href="/dashboard/webhooks" text={t('nav.webhooks')} />
          </div>
        </Section>
        <Section title={t('account.data')} help={t('account.dataHelp')}>
          <div class="buttons">
            <LinkButton href={`${AT}/export`} text={t('account.export')} />
          </div>
        </Section>
        <Section title={t('signIn.password')} help={t('account.passwordHelp')}>
          <form method="post" class="form" action={`${AT}/password`}>
            <CurrentPassword />
            <TextInput
              name="password"
              label={t('password.new')}
              type="password"
              autocomplete="new-password"
              help={t('account.atLeast', { count: PASSWORD_MIN })}
              required
            />
            <div class="buttons">
              <button class="btn">{t('account.changePassword')}</button>
            </div>
          </form>
        </Section>
      </Page>
    );
  }

  @Get('export')
  exportAccount(@Asked() { viewer }: PageRequest): PageResult {
    return archiveDownload(this.exports.account(viewer.accountId));
  }

  @Post('plan')
  @OnRefusal('show')
  async requestPlan(
    @Asked() { accountId, form, messages: { t } }: PageRequest,
  ): Promise<PageResult> {
    const plan = PLANS.find((name) => name === form.text('plan'));
    if (!plan || plan === 'free') throw fieldError('', 'Choose the Starter or the Pro plan.');
    await this.administration.requestPlan(accountId, plan);
    return redirect(
      form.text('back') === 'overview' ? '/dashboard' : AT,
      t('account.asked', { plan: PLAN_NAMES[plan] }),
    );
  }

  @Post('e-mail')
  async setMailed(@Asked() { accountId, form }: PageRequest): Promise<PageResult> {
    await this.notices.setMailed(accountId, form.text('notices') === 'on');
    return redirect(AT);
  }

  @Post('password')
  @OnRefusal('show')
  async changePassword(
    @Asked() { viewer, form, messages: { t } }: PageRequest,
  ): Promise<PageResult> {
    await this.passwords.change(viewer, form.text('current'), form.text('password'));
    return redirect(AT, t('account.passwordChanged'));
  }

  @Post('sessions/:id/end')
  async endSession(@Asked() { accountId, id, messages: { t } }: PageRequest): Promise<PageResult> {
    await this.sessions.end(accountId, id);
    return redirect(AT, t('account.sessionEnded'));
  }

  @Post('sessions/end-others')
  async endOthers(@Asked() { viewer, messages: { t } }: PageRequest): Promise<PageResult> {
    await this.sessions.endAll(viewer.accountId, viewer.sessionId);
    return redirect(AT, t('account.othersEnded'));
  }
}

/** What happens after a request, and how long it takes. @param takes the median of the last decisions, in seconds */
function nextOf(takes: number | null, { t }: Messages): string {
  const how = t('account.how');
  if (takes === null) return `${how} ${t('account.takesUnknown')}`;
  const hours = Math.max(Math.ceil(takes / 3_600), 1);
  const time =
    hours < 48
      ? t('account.takesHours', { count: hours })
      : t('account.takesDays', { count: Math.ceil(hours / 24) });
  return `${how} ${time}`;
}
