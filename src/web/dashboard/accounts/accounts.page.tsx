import type { AccountRow } from '../../../access/accounts/account-administration.service';
import type { EndpointView } from '../../../webhooks/endpoints/endpoint.view';
import { PLAN_NAMES } from '../../../access/accounts/plan.rules';
import { EmptyState, Table } from '../../components/table';
import { Page } from '../../components/page';
import { Pager, type PageOf } from '../../components/pager';
import { Badge } from '../../components/badge';
import { Time } from '../../components/format';

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
  endpoints: WideEndpoint[];
}) {
  return (
    <Page
      title="Accounts"
      help="Who uses the service, on which plan. Every change is in the audit log."
    >
      <form class="toolbar" role="search" method="get" action="/dashboard/admin/accounts">
        {/* With a script the list follows the typing; without one, Enter does it. */}
        <input
          class="input"
          type="search"
          name="q"
          value={search}
          placeholder="Search by e-mail address"
          aria-label="Search by e-mail address"
          hx-get="/dashboard/admin/accounts"
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
        {rows.length === 0 ? (
          <EmptyState title={search ? 'No account has such an address' : 'No accounts'} />
        ) : (
          <AccountTable rows={rows} />
        )}
        <Pager
          page={page}
          total={total}
          hrefOf={(number) =>
            `/dashboard/admin/accounts?${new URLSearchParams({ q: search, page: String(number) }).toString()}`
          }
        />
      </div>
      {endpoints.length > 0 && <WideEndpoints endpoints={endpoints} />}
    </Page>
  );
}

/** An endpoint that receives the events of all accounts, and its owner's address. */
type WideEndpoint = EndpointView & { email: string };

function WideEndpoints({ endpoints }: { endpoints: WideEndpoint[] }) {
  return (
    <section class="section">
      <h2>Endpoints for all accounts</h2>
      <p>They receive the events of every account, as long as their owner is an administrator.</p>
      <Table
        label="Endpoints for all accounts"
        rows={endpoints}
        rowKey={({ id }) => id}
        columns={[
          {
            title: 'Owner',
            cell: ({ accountId, email }) => (
              <a class="link clip" href={`/dashboard/admin/accounts/${accountId}`} title={email}>
                {email}
              </a>
            ),
          },
          { title: 'URL', cell: ({ url }) => <span class="clip wide">{url}</span> },
          {
            title: 'Status',
            cell: ({ disabledAt }) =>
              disabledAt ? (
                <Badge variant="bad">disabled</Badge>
              ) : (
                <Badge variant="good">enabled</Badge>
              ),
          },
          { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
      />
    </section>
  );
}

function AccountTable({ rows }: { rows: AccountWithQuota[] }) {
  return (
    <Table
      label="Accounts"
      rows={rows}
      rowKey={({ id }) => id}
      columns={[
        {
          title: 'E-mail address',
          cell: ({ id, email }) => (
            <a class="link clip" href={`/dashboard/admin/accounts/${id}`} title={email}>
              {email}
            </a>
          ),
        },
        { title: 'Status', cell: (row) => <AccountStatus row={row} /> },
        { title: 'Plan', cell: ({ plan }) => PLAN_NAMES[plan] },
        { title: 'Quizzes', kind: 'number', cell: quotaUse },
        { title: 'Keys', kind: 'number', cell: ({ keys }) => keys },
        { title: 'Last seen', cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
        { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
      ]}
    />
  );
}

export function AccountStatus({ row }: { row: AccountRow }) {
  if (row.disabledAt) return <Badge variant="bad">disabled</Badge>;
  return row.isAdmin ? (
    <Badge variant="neutral">administrator</Badge>
  ) : (
    <Badge variant="good">active</Badge>
  );
}

/** `3 of 25`, `12` without a limit */
export function quotaUse({ quizzes, limit }: AccountWithQuota): string {
  const owned = quizzes.toLocaleString('en');
  return limit === null || limit === 0 ? owned : `${owned} of ${limit.toLocaleString('en')}`;
}
