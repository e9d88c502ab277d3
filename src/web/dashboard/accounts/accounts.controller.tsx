import { Get, Post } from '@nestjs/common';
import { AccountsService } from '../../../access/accounts/accounts.service';
import { PLAN_NAMES } from '../../../access/accounts/plan.rules';
import { AccountAdministrationService } from '../../../access/administration/account-administration.service';
import { PasswordLinksService } from '../../../access/administration/password-links.service';
import { OwnedQuizzesService } from '../../../catalog/quizzes/owned-quizzes.service';
import { Config } from '../../../platform/config/config';
import { firstCodePoints } from '../../../platform/text/text.rules';
import { EndpointsService } from '../../../webhooks/endpoints/endpoints.service';
import { CopyText, LinkButton } from '../../components/button';
import {
  CheckboxList,
  LONGEST_SEARCH,
  optionsOf,
  SelectField,
  TextInput,
} from '../../components/fields';
import { Clip, Time } from '../../components/format';
import { ListSearch } from '../../components/list-search';
import { FormPage, Page } from '../../components/page';
import { Badge, Section } from '../../components/section';
import { EmptyState, pageOf, Pager, Table } from '../../components/table';
import { baseUrl } from '../../http/page-context';
import { AdministratorPages, Asked, OnRefusal, type PageRequest } from '../../http/page-controller';
import type { PageResult } from '../../http/page-results';
import { chosenPlan } from './account-form';
import { AccountStatus, AT, quotaUse, withQuota } from './managed-account.page';

const PER_PAGE = 25;

/** The accounts, a new one, and the one-time links with which their users set a password. */
@AdministratorPages('accounts')
export class AccountsController {
  constructor(
    private readonly administration: AccountAdministrationService,
    private readonly accounts: AccountsService,
    private readonly quizzes: OwnedQuizzesService,
    private readonly endpoints: EndpointsService,
    private readonly links: PasswordLinksService,
    private readonly config: Config,
  ) {}

  @Get()
  async list(@Asked() { query, messages }: PageRequest): Promise<PageResult> {
    const { t } = messages;
    const search = firstCodePoints(query('q').trim(), LONGEST_SEARCH);
    const page = pageOf(query('page'), PER_PAGE);
    const { accounts, total } = await this.administration.list(search, page);
    const [owned, endpoints] = await Promise.all([
      this.quizzes.countByOwner(accounts.map(({ id }) => id)),
      this.endpoints.listForAllAccounts(),
    ]);
    const rows = accounts.map((account) => withQuota(account, owned, this.accounts));
    return (
      <Page
        title={t('nav.accounts')}
        help={t('accounts.help')}
        action={
          <LinkButton look="primary" icon="plus" href={`${AT}/new`} text={t('accounts.new')} />
        }
      >
        <ListSearch at={AT} text={search} label={t('accounts.search')} updates="accounts" />
        <div id="accounts">
          <Table
            label={t('nav.accounts')}
            rows={rows}
            columns={[
              [
                t('signIn.email'),
                ({ id, email, deletedAt }) => (
                  <Clip href={`${AT}/${id}`} text={deletedAt ? t('accounts.deleted') : email} />
                ),
              ],
              [t('apiKey.status'), (row) => <AccountStatus row={row} />],
              [
                t('account.plan'),
                ({ plan, requestedPlan }) => (
                  <>
                    {PLAN_NAMES[plan]}{' '}
                    {requestedPlan && (
                      <Badge variant="busy">
                        {t('accounts.wants', { plan: PLAN_NAMES[requestedPlan] })}
                      </Badge>
                    )}
                  </>
                ),
              ],
              [t('site.quizzes'), { number: (row) => quotaUse(row, messages) }],
              [t('accounts.keys'), ({ keys }) => keys],
              [t('account.lastSeen'), ({ lastSeenAt }) => <Time at={lastSeenAt} />],
              [t('list.created'), ({ createdAt }) => <Time at={createdAt} />],
            ]}
            empty={
              total === 0 && <EmptyState title={t(search ? 'accounts.noMatch' : 'accounts.none')} />
            }
          />
          <Pager
            page={page}
            total={total}
            at={`${AT}?${new URLSearchParams({ q: search }).toString()}`}
          />
        </div>
        {endpoints.length > 0 && (
          <Section title={t('accounts.endpoints')} help={t('accounts.endpointsHelp')}>
            <Table
              label={t('accounts.endpoints')}
              rows={endpoints}
              columns={[
                [
                  t('allQuizzes.owner'),
                  ({ accountId, email }) => <Clip href={`${AT}/${accountId}`} text={email} />,
                ],
                ['URL', ({ url }) => <Clip wide text={url} />],
                [
                  t('apiKey.status'),
                  ({ disabledAt }) => (
                    <Badge variant={disabledAt ? 'bad' : 'good'}>
                      {t(disabledAt ? 'webhook.state.disabled' : 'webhook.state.enabled')}
                    </Badge>
                  ),
                ],
                [t('list.created'), ({ createdAt }) => <Time at={createdAt} />],
              ]}
            />
          </Section>
        )}
      </Page>
    );
  }

  @Get('new')
  blank(@Asked() { form, messages: { t } }: PageRequest): PageResult {
    return (
      <FormPage
        title={t('accounts.new')}
        help={t('accounts.newHelp')}
        back={{ href: AT, label: t('nav.accounts') }}
        form={form}
        action={AT}
        button={t('accounts.create')}
      >
        <TextInput name="email" label={t('signIn.email')} type="email" required autofocus />
        <SelectField name="plan" label={t('account.plan')} options={optionsOf(PLAN_NAMES)} />
        <CheckboxList
          name="role"
          label={t('accounts.role')}
          options={[
            {
              value: 'administrator',
              label: t('accounts.administrator'),
              help: t('accounts.administratorHelp'),
            },
          ]}
        />
      </FormPage>
    );
  }

  @Post()
  @OnRefusal('blank', 'email')
  async create(@Asked() asked: PageRequest): Promise<PageResult> {
    const { viewer, form } = asked;
    const plan = chosenPlan(form);
    const isAdmin = form.all('role').includes('administrator');
    const email = form.text('email');
    const { id } = await this.administration.create(viewer, { email, plan, isAdmin });
    return this.issue(asked, id);
  }

  /** The response is the page with the link, and not a redirect, because the link is not stored. */
  @Post(':id/link')
  link(@Asked() asked: PageRequest): Promise<PageResult> {
    return this.issue(asked, asked.id);
  }

  private async issue(
    { viewer, request, messages: { t } }: PageRequest,
    id: string,
  ): Promise<PageResult> {
    const account = await this.accounts.get(id);
    const { path, mailed } = await this.links.issue(viewer, account);
    return (
      <Page
        title={t('accounts.linkFor', { email: account.email })}
        help={t('accounts.linkHelp')}
        back={{ href: `${AT}/${id}`, label: account.email }}
      >
        <div data-address={`${AT}/${id}`}>
          <p>{t(mailed ? 'accounts.linkMailed' : 'accounts.linkShown')}</p>
          <CopyText text={baseUrl(request, this.config) + path} label={t('accounts.link')} />
        </div>
      </Page>
    );
  }
}
