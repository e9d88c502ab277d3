import type { AccountRow } from '../../../access/accounts/account-administration.service';
import type { AuditEntry } from '../../../access/accounts/audit-log';
import { PLAN_NAMES } from '../../../access/accounts/plan.rules';
import { Confirm, PostButton } from '../../components/button';
import { optionsOf, SelectField } from '../../components/fields';
import { Time } from '../../components/format';
import { Page } from '../../components/page';
import { Badge, Facts, Panel, Section } from '../../components/section';
import type { Form } from '../../http/form';
import { History } from '../audit/audit.controller';

const AT = '/dashboard/admin/accounts';

/** An account with what the catalogue knows of it. */
export interface AccountWithQuota extends AccountRow {
  quizzes: number;
  /** Quizzes it may own; null: any number. */
  limit: number | null;
}

/** @param of `isOwn` the viewer's own account: it cannot be locked out from here */
export function AccountPage(of: {
  row: AccountWithQuota;
  isOwn: boolean;
  entries: AuditEntry[];
  form: Form;
}) {
  const { row, isOwn, entries, form } = of;
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
          />
        ) : (
          <Confirm
            label="Make administrator"
            action={`${at}/administrator`}
            fields={{ administrator: 'yes' }}
            question={`Make ${row.email} an administrator?`}
            effect="It may then approve quizzes, change every account, and own quizzes without a limit."
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
          />
        )}
      </div>
    </Section>
  );
}

export function AccountStatus({ row }: { row: AccountRow }) {
  if (row.disabledAt) return <Badge variant="bad">disabled</Badge>;
  if (row.isAdmin) return <Badge variant="neutral">administrator</Badge>;
  return <Badge variant="good">active</Badge>;
}

/** `3 of 25`, `12` without a limit */
export function quotaUse({ quizzes, limit }: AccountWithQuota): string {
  const owned = quizzes.toLocaleString('en');
  return limit === null || limit === 0 ? owned : `${owned} of ${limit.toLocaleString('en')}`;
}
