import { Get, Post } from '@nestjs/common';
import { AccountsService } from '../../../access/accounts/accounts.service';
import { PLAN_NAMES, PLANS } from '../../../access/accounts/plan.rules';
import type { AccountRow } from '../../../access/administration/account-administration.dto';
import { AccountAdministrationService } from '../../../access/administration/account-administration.service';
import { QUIZZES_OF_DELETED } from '../../../access/administration/account-deletion.dto';
import { AccountDeletionService } from '../../../access/administration/account-deletion.service';
import { EmailChangesService } from '../../../access/administration/email-changes.service';
import { PasswordLinksService } from '../../../access/administration/password-links.service';
import { Config } from '../../../platform/config/config';
import { Confirm, CopyText, PostButton } from '../../components/button';
import { CheckboxList, optionsOf, SelectField, TextInput } from '../../components/fields';
import { FormPage, Page } from '../../components/page';
import { Section } from '../../components/section';
import { fieldError } from '../../http/form';
import { baseUrl } from '../../http/page-context';
import { AdministratorPages, Asked, OnRefusal, type PageRequest } from '../../http/page-controller';
import { type PageResult, redirect } from '../../http/page-results';

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
        <Confirm
          label="Delete account"
          action={`${at}/delete`}
          fields={{ quizzes: 'keep' }}
          question={`Delete ${row.email} and keep its published quizzes?`}
          effect="Its keys, sessions, webhooks, imports, notices and drafts are deleted for good, and players lose their names in its results. Published quizzes stay under “Deleted account”."
        />
        <Confirm
          label="Delete account and quizzes"
          action={`${at}/delete`}
          fields={{ quizzes: 'delete' }}
          question={`Delete ${row.email} with all of its quizzes?`}
          effect="Its quizzes, keys, sessions, webhooks, imports and notices are deleted for good."
        />
      </div>
    </Section>
  );
}

/** The e-mail address of an account, which administrators change at once. */
export function Address({ row, at }: { row: AccountRow; at: string }) {
  return (
    <Section
      title="E-mail address"
      help="Changes at once. The earlier address is told about it, if the service sends e-mail."
    >
      <form method="post" action={`${at}/e-mail`} class="form form-row">
        <TextInput name="email" label="E-mail address" type="email" initial={row.email} required />
        <button class="btn" data-variant="outline">
          Change address
        </button>
      </form>
    </Section>
  );
}

const AT = '/dashboard/admin/accounts';
const BACK = { href: AT, label: 'Accounts' };

/** Creating accounts, and the one-time links with which their users set a password. */
@AdministratorPages('accounts')
export class InvitationsController {
  constructor(
    private readonly administration: AccountAdministrationService,
    private readonly deletion: AccountDeletionService,
    private readonly emails: EmailChangesService,
    private readonly accounts: AccountsService,
    private readonly links: PasswordLinksService,
    private readonly config: Config,
  ) {}

  @Get('new')
  blank(@Asked() { form }: PageRequest): PageResult {
    return (
      <FormPage
        title="New account"
        help="Its user gets a one-time link to set a password."
        back={BACK}
        form={form}
        action={AT}
        button="Create account"
      >
        <TextInput name="email" label="E-mail address" type="email" required autofocus />
        <SelectField name="plan" label="Plan" options={optionsOf(PLAN_NAMES)} />
        <CheckboxList
          name="role"
          label="Role"
          options={[
            {
              value: 'administrator',
              label: 'Administrator',
              help: 'May approve quizzes, change every account, and own quizzes without a limit.',
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
    const plan = PLANS.find((name) => name === form.text('plan'));
    if (!plan) throw fieldError('plan', 'Choose one of the plans');
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

  @Post(':id/plan-request')
  async decline(@Asked() { viewer, id }: PageRequest): Promise<PageResult> {
    const { email } = await this.administration.declinePlan(viewer, id);
    return redirect(`${AT}/${id}`, `The request of ${email} is declined.`);
  }

  @Post(':id/e-mail')
  async changeAddress(@Asked() { viewer, id, form }: PageRequest): Promise<PageResult> {
    const account = await this.administration.get(id);
    const email = await this.emails.set(viewer, account.id, form.text('email'));
    return redirect(`${AT}/${id}`, `The address is ${email} now.`);
  }

  @Post(':id/delete')
  async delete(@Asked() { viewer, id, form }: PageRequest): Promise<PageResult> {
    await this.deletion.requireMayDelete(viewer, id);
    const quizzes = QUIZZES_OF_DELETED.find((choice) => choice === form.text('quizzes'));
    if (!quizzes) throw fieldError('', 'Choose what becomes of the quizzes');
    const email = await this.deletion.delete(viewer, id, quizzes);
    return redirect(AT, `${email} is deleted. What belongs to it goes within minutes.`);
  }

  private async issue({ viewer, request }: PageRequest, id: string): Promise<PageResult> {
    const account = await this.accounts.get(id);
    const { path, mailed } = await this.links.issue(viewer, account);
    return (
      <Page
        title={`Link for ${account.email}`}
        help="It works once, within seven days, and replaces earlier links."
        back={{ href: `${AT}/${id}`, label: account.email }}
      >
        <div data-address={`${AT}/${id}`}>
          <p>
            {mailed
              ? 'The link was sent by e-mail. You can also pass it on yourself:'
              : 'Pass this link on to the user of the account. It is shown only now.'}
          </p>
          <CopyText text={baseUrl(request, this.config) + path} label="Link" />
        </div>
      </Page>
    );
  }
}
