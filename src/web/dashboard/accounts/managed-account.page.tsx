import type { ComponentProps } from 'preact';
import type { AccountsService } from '../../../access/accounts/accounts.service';
import { isBuiltIn } from '../../../access/accounts/built-in-accounts';
import { PLAN_NAMES } from '../../../access/accounts/plan.rules';
import type { AccountRow } from '../../../access/administration/account-administration.dto';
import { accountVersion } from '../../../access/administration/account-version.rules';
import type { ApiKey } from '../../../access/api-keys/api-key.entity';
import { LIMITS } from '../../../platform/limits/limits';
import type { Messages } from '../../../platform/messages/messages';
import { Confirm, PostButton } from '../../components/button';
import { optionsOf, SelectField, TextInput } from '../../components/fields';
import { Link, Time } from '../../components/format';
import { Page } from '../../components/page';
import { Badge, Facts, Panel, Section } from '../../components/section';
import { useMessages } from '../../http/page-context';
import { History } from '../audit/audit-table';

/** The list of accounts; the page of one is below it. */
export const AT = '/dashboard/admin/accounts';

/** An account with its use of the catalogue. `limit`: the quizzes it may own; null: any number. */
type AccountWithQuota = AccountRow & { quizzes: number; limit: number | null };

/** @param owned quizzes by account */
export const withQuota = (
  account: AccountRow,
  owned: ReadonlyMap<string, number>,
  accounts: AccountsService,
): AccountWithQuota => ({
  ...account,
  quizzes: owned.get(account.id) ?? 0,
  // What a deleted account leaves behind fills no plan.
  limit: account.deletedAt ? null : accounts.quizLimitOf(account),
});

/** An account for administrators. @param isOwn administrators cannot lock themselves out */
export function ManagedAccountPage({
  row,
  keys,
  entries,
  isOwn,
  form,
}: {
  row: AccountWithQuota;
  keys: ApiKey[];
  entries: ComponentProps<typeof History>['entries'];
  isOwn: boolean;
  form: ComponentProps<typeof Page>['form'];
}) {
  const messages = useMessages();
  const { t } = messages;
  const at = `${AT}/${row.id}`;
  return (
    <Page
      title={row.deletedAt ? t('accounts.deleted') : row.email}
      help={
        isOwn
          ? t('accounts.isOwn')
          : row.deletedAt
            ? t('accounts.isDeleted')
            : isBuiltIn(row)
              ? t('accounts.isBuiltIn')
              : t('accounts.about')
      }
      back={{ href: AT, label: t('nav.accounts') }}
      form={form}
    >
      <Panel>
        <Facts
          rows={[
            [t('apiKey.status'), <AccountStatus row={row} />],
            [t('account.plan'), PLAN_NAMES[row.plan]],
            [
              t('site.quizzes'),
              <Link to={`/dashboard/admin/quizzes?owner=${row.id}`}>
                {quotaUse(row, messages)}
              </Link>,
            ],
            [t('accounts.activeKeys'), row.keys],
            [t('account.lastSeen'), <Time at={row.lastSeenAt} />],
            [t('list.created'), <Time at={row.createdAt} />],
            [t('accounts.id'), <span class="mono">{row.id}</span>],
          ]}
        />
      </Panel>
      {!row.deletedAt && <PlanOf row={row} at={at} />}
      {!row.deletedAt && !row.disabledAt && !isBuiltIn(row) && (
        <Section title={t('signIn.password')} help={t('accounts.passwordHelp')}>
          <PostButton action={`${at}/link`} text={t('accounts.createLink')} />
        </Section>
      )}
      {!row.deletedAt && !isBuiltIn(row) && <Address row={row} at={at} />}
      {keys.length > 0 && <KeyRates keys={keys} at={at} />}
      {!isOwn && !row.deletedAt && <Access row={row} at={at} />}
      <History entries={entries} />
    </Page>
  );
}

/** The plan of an account, and what its user has asked for. */
function PlanOf({ row, at }: { row: AccountRow; at: string }) {
  const { t } = useMessages();
  const version = accountVersion(row);
  return (
    <Section title={t('account.plan')} help={t('accounts.planHelp')}>
      {row.requestedPlan && (
        <div class="buttons">
          <p>{t('accounts.asked', { plan: PLAN_NAMES[row.requestedPlan] })}</p>
          <PostButton
            look="primary"
            action={`${at}/plan`}
            fields={{ plan: row.requestedPlan, version }}
            text={t('accounts.grant', { plan: PLAN_NAMES[row.requestedPlan] })}
          />
          <PostButton
            action={`${at}/plan-request`}
            fields={{ version }}
            text={t('accounts.decline')}
          />
        </div>
      )}
      <form method="post" action={`${at}/plan`} autocomplete="off" class="form form-row">
        <input type="hidden" name="version" value={version} />
        <SelectField
          name="plan"
          label={t('account.plan')}
          initial={row.plan}
          options={optionsOf(PLAN_NAMES)}
        />
        <button class="btn" data-variant="outline">
          {t('accounts.changePlan')}
        </button>
      </form>
    </Section>
  );
}

/** The rights of another account, and the buttons that change them. @param at the account's page */
function Access({ row, at }: { row: AccountRow; at: string }) {
  const { t } = useMessages();
  const { email } = row;
  const version = accountVersion(row);
  return (
    <Section title={t('accounts.access')} help={t('accounts.accessHelp')}>
      <div class="buttons after">
        {row.isAdmin ? (
          <Confirm
            label={t('accounts.removeAdmin')}
            action={`${at}/administrator`}
            fields={{ administrator: 'no', version }}
            question={t('accounts.removeAdminIt', { email })}
            effect={t('accounts.removeAdminEffect')}
          />
        ) : (
          <Confirm
            label={t('accounts.makeAdmin')}
            action={`${at}/administrator`}
            fields={{ administrator: 'yes', version }}
            question={t('accounts.makeAdminIt', { email })}
            effect={t('accounts.makeAdminEffect')}
          />
        )}
        {row.disabledAt ? (
          <PostButton
            action={`${at}/disabled`}
            fields={{ disabled: 'no', version }}
            text={t('accounts.enable')}
          />
        ) : (
          <Confirm
            label={t('accounts.disable')}
            action={`${at}/disabled`}
            fields={{ disabled: 'yes', version }}
            question={t('accounts.disableIt', { email })}
            effect={t('accounts.disableEffect')}
          />
        )}
        {!isBuiltIn(row) && (
          <>
            <Confirm
              label={t('accounts.delete')}
              action={`${at}/delete`}
              fields={{ quizzes: 'keep', version }}
              question={t('accounts.deleteKeepIt', { email })}
              effect={t('accounts.deleteKeepEffect')}
            />
            <Confirm
              label={t('accounts.deleteAll')}
              action={`${at}/delete`}
              fields={{ quizzes: 'delete', version }}
              question={t('accounts.deleteAllIt', { email })}
              effect={t('accounts.deleteAllEffect')}
            />
          </>
        )}
      </div>
    </Section>
  );
}

/** The e-mail address of an account, which administrators change at once. */
function Address({ row, at }: { row: AccountRow; at: string }) {
  const { t } = useMessages();
  return (
    <Section title={t('signIn.email')} help={t('accounts.emailHelp')}>
      <form method="post" action={`${at}/e-mail`} class="form form-row">
        <input type="hidden" name="version" value={accountVersion(row)} />
        <TextInput
          name="email"
          label={t('signIn.email')}
          type="email"
          initial={row.email}
          required
        />
        <button class="btn" data-variant="outline">
          {t('accounts.changeEmail')}
        </button>
      </form>
    </Section>
  );
}

/** The keys whose requests an administrator may have counted by key. */
function KeyRates({ keys, at }: { keys: ApiKey[]; at: string }) {
  const { t } = useMessages();
  return (
    <Section title={t('accounts.rates')} help={t('accounts.ratesHelp')}>
      <form method="post" action={`${at}/rate`} autocomplete="off" class="form form-row">
        <SelectField
          name="key"
          label={t('accounts.key')}
          initial={keys[0]!.id}
          options={keys.map(({ id, name, lastFour, requestsPerMinute }) => ({
            value: id,
            label: t(requestsPerMinute === null ? 'accounts.keyByAddress' : 'accounts.keyRate', {
              key: `${name} (…${lastFour})`,
              count: requestsPerMinute ?? 0,
            }),
          }))}
        />
        <TextInput
          name="requestsPerMinute"
          label={t('accounts.perMinute')}
          inputMode="numeric"
          help={t('accounts.perMinuteHelp', { most: LIMITS.requests.perMinuteByKey.value })}
        />
        <button class="btn" data-variant="outline">
          {t('accounts.changeRate')}
        </button>
      </form>
    </Section>
  );
}

export function AccountStatus({ row }: { row: AccountRow }) {
  const { t } = useMessages();
  if (row.deletedAt) return <Badge variant="neutral">{t('accounts.status.deleted')}</Badge>;
  if (row.disabledAt) return <Badge variant="bad">{t('accounts.status.disabled')}</Badge>;
  if (isBuiltIn(row)) return <Badge variant="neutral">{t('accounts.status.builtIn')}</Badge>;
  if (row.isAdmin) return <Badge variant="neutral">{t('accounts.status.administrator')}</Badge>;
  return <Badge variant="good">{t('accounts.status.active')}</Badge>;
}

/** `3 of 25`, `12` without a limit */
export const quotaUse = ({ quizzes, limit }: AccountWithQuota, { number, t }: Messages): string =>
  limit === null ? number(quizzes) : t('accounts.quota', { owned: quizzes, limit });
