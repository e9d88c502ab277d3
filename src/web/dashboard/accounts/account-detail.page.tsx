import type { AuditEntry } from '../../../access/accounts/audit-log';
import { PLANS, PLAN_NAMES } from '../../../access/accounts/plan.rules';
import { AuditTable } from '../audit/audit-table';
import { Confirm } from '../../components/confirm';
import { FormErrors, SelectField } from '../../components/fields';
import { Page } from '../../components/page';
import { Time } from '../../components/format';
import type { Form } from '../../http/form';
import { AccountStatus, quotaUse, type AccountWithQuota } from './accounts.page';

export function AccountDetailPage({
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
  const at = `/dashboard/admin/accounts/${row.id}`;
  return (
    <Page
      title={row.email}
      help={isOwn ? 'This is your own account.' : 'Permissions and usage.'}
      back={{ href: '/dashboard/admin/accounts', label: 'Accounts' }}
    >
      <FormErrors form={form} />
      <section class="panel">
        <dl class="facts">
          <dt>Status</dt>
          <dd>
            <AccountStatus row={row} />
          </dd>
          <dt>Quizzes</dt>
          <dd>{quotaUse(row)}</dd>
          <dt>Active keys</dt>
          <dd>{row.keys}</dd>
          <dt>Last seen</dt>
          <dd>
            <Time at={row.lastSeenAt} />
          </dd>
          <dt>Created</dt>
          <dd>
            <Time at={row.createdAt} />
          </dd>
          <dt>Account id</dt>
          <dd class="mono">{row.id}</dd>
        </dl>
      </section>
      <section class="section">
        <h2>Plan</h2>
        <p>Takes effect immediately. Quizzes above a smaller limit are kept.</p>
        <form method="post" action={`${at}/plan`} class="form form-row after">
          <SelectField
            form={form}
            name="plan"
            label="Plan"
            initial={row.plan}
            options={PLANS.map((plan) => ({ value: plan, label: PLAN_NAMES[plan] }))}
          />
          <button class="btn" data-variant="outline">
            Change plan
          </button>
        </form>
      </section>
      {!isOwn && <ModerationStatus row={row} at={at} />}
      {entries.length > 0 && (
        <section class="section">
          <h2>History</h2>
          <AuditTable entries={entries} />
        </section>
      )}
    </Page>
  );
}

function ModerationStatus({ row, at }: { row: AccountWithQuota; at: string }) {
  return (
    <section class="section">
      <h2>ModerationStatus</h2>
      <p>Administrators review quizzes, and see and change all accounts.</p>
      <div class="buttons after">
        {row.isAdmin ? (
          <Confirm
            label="Remove as administrator"
            action={`${at}/administrator`}
            question={`Remove ${row.email} as administrator?`}
            effect="It keeps its plan, keys and quizzes, and loses access to administration. Its webhook endpoints no longer receive the events of all accounts."
            button="Remove as administrator"
          >
            <input type="hidden" name="administrator" value="no" />
          </Confirm>
        ) : (
          <Confirm
            label="Make administrator"
            action={`${at}/administrator`}
            question={`Make ${row.email} an administrator?`}
            effect="It may then approve quizzes, change every account, and own quizzes without a limit."
            button="Make administrator"
          >
            <input type="hidden" name="administrator" value="yes" />
          </Confirm>
        )}
        {row.disabledAt ? (
          <form method="post" action={`${at}/disabled`}>
            <input type="hidden" name="disabled" value="no" />
            <button class="btn" data-variant="outline" data-size="sm">
              Enable account
            </button>
          </form>
        ) : (
          <Confirm
            label="Disable account"
            action={`${at}/disabled`}
            question={`Disable ${row.email}?`}
            effect="Its keys are refused and its sessions end at once, nobody sees its quizzes, and its webhooks wait. All of it comes back when the account is enabled again."
            button="Disable account"
          >
            <input type="hidden" name="disabled" value="yes" />
          </Confirm>
        )}
      </div>
    </section>
  );
}
