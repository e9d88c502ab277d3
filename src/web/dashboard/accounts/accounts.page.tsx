import type { AccountRow } from '../../../access/accounts/account-administration.service';
import type { AuditEntry } from '../../../access/accounts/audit-log';
import { PLAN_NAMES } from '../../../access/accounts/plan.rules';
import type { EndpointView } from '../../../webhooks/endpoints/endpoint.entity';
import { Confirm, PostButton } from '../../components/button';
import { optionsOf, SelectField } from '../../components/fields';
import { Time } from '../../components/format';
import { Page } from '../../components/page';
import { Badge, Facts, Panel, Section } from '../../components/section';
import { EmptyState, Pager, Table, type PageOf } from '../../components/table';
import type { Form } from '../../http/form';
import { History } from '../audit/audit.controller';

const AT = '/dashboard/admin/accounts';

/** An account with what the catalogue knows of it. */
export interface AccountWithQuota extends AccountRow {
  quizzes: number;
  /** Quizzes it may own; null: any number. */
  limit: number | null;
}

export function AccountsPage({
  rows,
  search,
  page,
  total,
  endpoints,
}: {
  rows: AccountWithQuota[];
  search: string;
  page: PageOf;
  total: number;
  /** Those that receive the events of all accounts. */
  endpoints: (EndpointView & { email: string })[];
}) {
  return (
    <Page
      title="Accounts"
      help="Who uses the service, on which plan. Every change is in the audit log."
    >
      <form class="toolbar" role="search" method="get" action={AT}>
        {/* With a script the list follows the typing; without one, Enter does it. */}
        <input
          class="input"
          type="search"
          name="q"
          value={search}
          placeholder="Search by e-mail address"
          aria-label="Search by e-mail address"
          hx-get={AT}
          hx-trigger="input changed delay:250ms"
          hx-target="#accounts"
          hx-select="#accounts"
          hx-swap="outerHTML"
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
            'E-mail address': ({ id, email }) => <AccountLink id={id} email={email} />,
            Status: (row) => <AccountStatus row={row} />,
            Plan: ({ plan }) => PLAN_NAMES[plan],
            Quizzes: { number: quotaUse },
            Keys: ({ keys }) => keys,
            'Last seen': ({ lastSeenAt }) => <Time at={lastSeenAt} />,
            Created: ({ createdAt }) => <Time at={createdAt} />,
          }}
          empty={<EmptyState title={search ? 'No account has such an address' : 'No accounts'} />}
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
              Owner: ({ accountId, email }) => <AccountLink id={accountId} email={email} />,
              URL: ({ url }) => <span class="clip wide">{url}</span>,
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

function AccountLink({ id, email }: { id: string; email: string }) {
  return (
    <a class="link clip" href={`${AT}/${id}`} title={email}>
      {email}
    </a>
  );
}

export function AccountPage({
  row,
  isOwn,
  entries,
  form,
}: {
  row: AccountWithQuota;
  /** The viewer's own account: it cannot be locked out from here. */
  isOwn: boolean;
  entries: AuditEntry[];
  form: Form;
}) {
  const at = `${AT}/${row.id}`;
  return (
    <Page
      title={row.email}
      help={isOwn ? 'This is your own account.' : 'Permissions and usage.'}
      back={{ href: AT, label: 'Accounts' }}
      form={form}
    >
      <Panel>
        <Facts
          of={{
            Status: <AccountStatus row={row} />,
            Quizzes: quotaUse(row),
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
      {!isOwn && <Access row={row} at={at} />}
      <History entries={entries} />
    </Page>
  );
}

function Access({ row, at }: { row: AccountWithQuota; at: string }) {
  return (
    <Section title="Access" help="Administrators review quizzes, and see and change all accounts.">
      <div class="buttons after">
        {row.isAdmin ? (
          <Confirm
            label="Remove as administrator"
            action={`${at}/administrator`}
            fields={{ administrator: 'no' }}
            question={`Remove ${row.email} as administrator?`}
            effect="It keeps its plan, keys and quizzes, and loses access to administration. Its webhook endpoints no longer receive the events of all accounts."
            button="Remove as administrator"
          />
        ) : (
          <Confirm
            label="Make administrator"
            action={`${at}/administrator`}
            fields={{ administrator: 'yes' }}
            question={`Make ${row.email} an administrator?`}
            effect="It may then approve quizzes, change every account, and own quizzes without a limit."
            button="Make administrator"
          />
        )}
        {row.disabledAt ? (
          <PostButton action={`${at}/disabled`} fields={{ disabled: 'no' }} text="Enable account" />
        ) : (
          <Confirm
            label="Disable account"
            action={`${at}/disabled`}
            fields={{ disabled: 'yes' }}
            question={`Disable ${row.email}?`}
            effect="Its keys are refused and its sessions end at once, nobody sees its quizzes, and its webhooks wait. All of it comes back when the account is enabled again."
            button="Disable account"
          />
        )}
      </div>
    </Section>
  );
}

function AccountStatus({ row }: { row: AccountRow }) {
  if (row.disabledAt) return <Badge variant="bad">disabled</Badge>;
  if (row.isAdmin) return <Badge variant="neutral">administrator</Badge>;
  return <Badge variant="good">active</Badge>;
}

/** `3 of 25`, `12` without a limit */
function quotaUse({ quizzes, limit }: AccountWithQuota): string {
  const owned = quizzes.toLocaleString('en');
  return limit === null || limit === 0 ? owned : `${owned} of ${limit.toLocaleString('en')}`;
}
