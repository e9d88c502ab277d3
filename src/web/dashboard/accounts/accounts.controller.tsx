import { Get, Post } from '@nestjs/common';
import { AccountsService } from '../../../access/accounts/accounts.service';
import { isBuiltIn } from '../../../access/accounts/built-in-accounts';
import { PLAN_NAMES, PLANS } from '../../../access/accounts/plan.rules';
import type { AccountRow } from '../../../access/administration/account-administration.dto';
import { AccountAdministrationService } from '../../../access/administration/account-administration.service';
import type { ApiKey } from '../../../access/api-keys/api-key.entity';
import { ApiKeysService } from '../../../access/api-keys/api-keys.service';
import { AuditLog } from '../../../access/audit/audit-log';
import { OwnedQuizzesService } from '../../../catalog/quizzes/owned-quizzes.service';
import { EndpointsService } from '../../../webhooks/endpoints/endpoints.service';
import { LinkButton, PostButton } from '../../components/button';
import { optionsOf, SelectField, TextInput } from '../../components/fields';
import { Clip, count, Link, Time } from '../../components/format';
import { Page, reloading } from '../../components/page';
import { Badge, Facts, Panel, Section } from '../../components/section';
import { EmptyState, pageOf, Pager, Table } from '../../components/table';
import { fieldError } from '../../http/form';
import { AdministratorPages, Asked, OnRefusal, type PageRequest } from '../../http/page-controller';
import { type PageResult, redirect } from '../../http/page-results';
import { History } from '../audit/audit.controller';
import { Access, Address } from './invitations.controller';

const AT = '/dashboard/admin/accounts';
const PER_PAGE = 25;

/** An account with its use of the catalogue. `limit`: the quizzes it may own; null: any number. */
type AccountWithQuota = AccountRow & { quizzes: number; limit: number | null };

@AdministratorPages('accounts')
export class AccountsController {
  constructor(
    private readonly administration: AccountAdministrationService,
    private readonly accounts: AccountsService,
    private readonly keys: ApiKeysService,
    private readonly audit: AuditLog,
    private readonly quizzes: OwnedQuizzesService,
    private readonly endpoints: EndpointsService,
  ) {}

  @Get()
  async list(@Asked() { query }: PageRequest): Promise<PageResult> {
    const search = query('q');
    const page = pageOf(query('page'), PER_PAGE);
    const { accounts, total } = await this.administration.list(search, page);
    const rows = await this.withQuota(accounts);
    const endpoints = await this.endpoints.listForAllAccounts();
    return (
      <Page
        title="Accounts"
        help="Who uses the service, on which plan. Every change is in the audit log."
        action={<LinkButton look="primary" icon="plus" href={`${AT}/new`} text="New account" />}
      >
        <form class="toolbar" role="search" method="get" action={AT}>
          {/* With a script the list updates while typing; without one, Enter submits. */}
          <input
            class="input"
            type="search"
            name="q"
            value={search}
            placeholder="Search by e-mail address"
            aria-label="Search by e-mail address"
            {...reloading('accounts', AT, 'input changed delay:250ms')}
          />
          <button class="btn" data-variant="outline">
            Search
          </button>
        </form>
        <div id="accounts">
          <Table
            label="Accounts"
            rows={rows}
            columns={{
              'E-mail address': ({ id, email, deletedAt }) => (
                <Clip href={`${AT}/${id}`} text={deletedAt ? 'Deleted account' : email} />
              ),
              Status: (row) => <AccountStatus row={row} />,
              Plan: ({ plan, requestedPlan }) => (
                <>
                  {PLAN_NAMES[plan]}{' '}
                  {requestedPlan && (
                    <Badge variant="busy">{`wants ${PLAN_NAMES[requestedPlan]}`}</Badge>
                  )}
                </>
              ),
              Quizzes: { number: quotaUse },
              Keys: ({ keys }) => keys,
              'Last seen': ({ lastSeenAt }) => <Time at={lastSeenAt} />,
              Created: ({ createdAt }) => <Time at={createdAt} />,
            }}
            empty={
              <EmptyState title={search ? 'No account has a matching address' : 'No accounts'} />
            }
          />
          <Pager page={page} total={total} at={`${AT}?q=${encodeURIComponent(search)}`} />
        </div>
        {endpoints.length > 0 && (
          <Section
            title="Endpoints for all accounts"
            help="They receive the events of every account, as long as their owner is an administrator."
          >
            <Table
              label="Endpoints for all accounts"
              rows={endpoints}
              columns={{
                Owner: ({ accountId, email }) => <Clip href={`${AT}/${accountId}`} text={email} />,
                URL: ({ url }) => <Clip wide text={url} />,
                Status: ({ disabledAt }) => (
                  <Badge variant={disabledAt ? 'bad' : 'good'}>
                    {disabledAt ? 'disabled' : 'enabled'}
                  </Badge>
                ),
                Created: ({ createdAt }) => <Time at={createdAt} />,
              }}
            />
          </Section>
        )}
      </Page>
    );
  }

  @Get(':id')
  async show(@Asked() { accountId, id, form }: PageRequest): Promise<PageResult> {
    const account = await this.administration.get(id);
    const row = (await this.withQuota([account]))[0]!;
    const entries = await this.audit.about(account.id, 10);
    const keys = await this.keys.listWorking(account.id);
    // Administrators cannot lock themselves out.
    const isOwn = accountId === account.id;
    const at = `${AT}/${account.id}`;
    return (
      <Page
        title={row.deletedAt ? 'Deleted account' : row.email}
        help={
          isOwn
            ? 'This is your own account.'
            : row.deletedAt
              ? 'Its published quizzes stay. Nothing personal is left of it.'
              : isBuiltIn(row)
                ? 'The service made this account for its starter quizzes or its demo key. No person signs in to it.'
                : 'Permissions and usage.'
        }
        back={{ href: AT, label: 'Accounts' }}
        form={form}
      >
        <Panel>
          <Facts
            of={{
              Status: <AccountStatus row={row} />,
              Quizzes: <Link to={`/dashboard/admin/quizzes?owner=${row.id}`}>{quotaUse(row)}</Link>,
              'Active keys': row.keys,
              'Last seen': <Time at={row.lastSeenAt} />,
              Created: <Time at={row.createdAt} />,
              'Account id': <span class="mono">{row.id}</span>,
            }}
          />
        </Panel>
        <Section
          title="Plan"
          help="Takes effect immediately. Quizzes above a smaller limit are kept."
        >
          {row.requestedPlan && (
            <div class="buttons">
              <p>The user has asked for the {PLAN_NAMES[row.requestedPlan]} plan.</p>
              <PostButton
                look="primary"
                action={`${at}/plan`}
                fields={{ plan: row.requestedPlan }}
                text={`Grant ${PLAN_NAMES[row.requestedPlan]}`}
              />
              <PostButton action={`${at}/plan-request`} text="Decline" />
            </div>
          )}
          <form method="post" action={`${at}/plan`} class="form form-row">
            <SelectField
              name="plan"
              label="Plan"
              initial={row.plan}
              options={optionsOf(PLAN_NAMES)}
            />
            <button class="btn" data-variant="outline">
              Change plan
            </button>
          </form>
        </Section>
        {!row.deletedAt && (
          <>
            <Section
              title="Password"
              help="For a new user, or after a forgotten password: a link that works once."
            >
              <PostButton action={`${at}/link`} text="Create a one-time link" />
            </Section>
            <Address row={row} at={at} />
          </>
        )}
        {keys.length > 0 && <KeyRates keys={keys} at={at} />}
        {!isOwn && !row.deletedAt && <Access row={row} at={at} />}
        <History entries={entries} />
      </Page>
    );
  }

  @Post(':id/plan')
  @OnRefusal('show')
  async changePlan(@Asked() { viewer, id, form }: PageRequest): Promise<PageResult> {
    const plan = PLANS.find((name) => name === form.text('plan'));
    if (!plan) throw fieldError('plan', 'Choose one of the plans');
    const { email } = await this.administration.setPlan(viewer, id, plan);
    return redirect(`${AT}/${id}`, `${email} is on the ${PLAN_NAMES[plan]} plan.`);
  }

  @Post(':id/rate')
  @OnRefusal('show')
  async changeRate(@Asked() { viewer, id, form }: PageRequest): Promise<PageResult> {
    const perMinute =
      form.text('requestsPerMinute') === '' ? null : Number(form.text('requestsPerMinute'));
    const key = await this.keys.get(id, form.text('key'));
    await this.keys.setRate(viewer, key.id, perMinute);
    return redirect(
      `${AT}/${id}`,
      perMinute === null
        ? `Requests with “${key.name}” are counted by address.`
        : `“${key.name}” has ${count(perMinute, 'request', 'requests')} a minute.`,
    );
  }

  @Post(':id/administrator')
  @OnRefusal('show')
  async changeAdministrator(@Asked() { viewer, id, form }: PageRequest): Promise<PageResult> {
    const isAdmin = form.text('administrator') === 'yes';
    const { email } = await this.administration.setAdministrator(viewer, id, isAdmin);
    const role = isAdmin ? 'an administrator' : 'no longer an administrator';
    return redirect(`${AT}/${id}`, `${email} is ${role}.`);
  }

  @Post(':id/disabled')
  @OnRefusal('show')
  async changeDisabled(@Asked() { viewer, id, form }: PageRequest): Promise<PageResult> {
    const disabled = form.text('disabled') === 'yes';
    const { email } = await this.administration.setDisabled(viewer, id, disabled);
    return redirect(
      `${AT}/${id}`,
      disabled
        ? `${email} is disabled: its keys are refused, its sessions are ended, its quizzes are hidden and its webhooks wait.`
        : `${email} is enabled: its keys, quizzes and webhooks work again.`,
    );
  }

  private async withQuota(accounts: AccountRow[]): Promise<AccountWithQuota[]> {
    const owned = await this.quizzes.countByOwner(accounts.map(({ id }) => id));
    return accounts.map((account) => ({
      ...account,
      quizzes: owned.get(account.id) ?? 0,
      limit: this.accounts.quizLimitOf(account),
    }));
  }
}

/** The keys whose requests an administrator may have counted by key. */
function KeyRates({ keys, at }: { keys: ApiKey[]; at: string }) {
  return (
    <Section
      title="Rates of API keys"
      help="Requests are counted by client address. A server that asks for many users can have its key counted instead."
    >
      <form method="post" action={`${at}/rate`} class="form form-row">
        <SelectField
          name="key"
          label="Key"
          initial={keys[0]!.id}
          options={keys.map(({ id, name, lastFour, requestsPerMinute }) => ({
            value: id,
            label: `${name} (…${lastFour}), ${requestsPerMinute === null ? 'by address' : `${requestsPerMinute.toLocaleString('en')} a minute`}`,
          }))}
        />
        <TextInput
          name="requestsPerMinute"
          label="Requests a minute"
          inputMode="numeric"
          help="1 to 6,000; empty: by address"
        />
        <button class="btn" data-variant="outline">
          Change rate
        </button>
      </form>
    </Section>
  );
}

function AccountStatus({ row }: { row: AccountRow }) {
  if (row.deletedAt) return <Badge variant="neutral">deleted</Badge>;
  if (row.disabledAt) return <Badge variant="bad">disabled</Badge>;
  if (isBuiltIn(row)) return <Badge variant="neutral">built in</Badge>;
  if (row.isAdmin) return <Badge variant="neutral">administrator</Badge>;
  return <Badge variant="good">active</Badge>;
}

/** `3 of 25`, `12` without a limit */
function quotaUse({ quizzes, limit }: AccountWithQuota): string {
  const owned = quizzes.toLocaleString('en');
  return limit === null ? owned : `${owned} of ${limit.toLocaleString('en')}`;
}
