import type { AccountRow } from '../../../access/accounts/account-administration.service';
import { Confirm, PostButton } from '../../components/button';
import { Section } from '../../components/section';

/** The rights of another account, and the buttons that change them. @param at the account's page */
export function Access({ row, at }: { row: AccountRow; at: string }) {
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
