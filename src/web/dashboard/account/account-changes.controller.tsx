import { Get, Post } from '@nestjs/common';
import { QUIZZES_OF_DELETED } from '../../../access/administration/account-deletion.dto';
import { AccountDeletionService } from '../../../access/administration/account-deletion.service';
import { EmailChangesService } from '../../../access/administration/email-changes.service';
import { PasswordsService } from '../../../access/sessions/passwords.service';
import { Config } from '../../../platform/config/config';
import { Plain } from '../../components/document';
import { SelectField, TextInput } from '../../components/fields';
import { FormPage, Page } from '../../components/page';
import { sessionCookie } from '../../http/cookies';
import { fieldError } from '../../http/form';
import { Asked, OnRefusal, type PageRequest, SignedInPages } from '../../http/page-controller';
import { type PageResult, redirect } from '../../http/page-results';

const AT = '/dashboard/account';
const BACK = { href: AT, label: 'Account' };

/** What cannot be undone, or decides who owns the account: it needs the password. */
@SignedInPages('account')
export class AccountChangesController {
  constructor(
    private readonly emails: EmailChangesService,
    private readonly deletion: AccountDeletionService,
    private readonly passwords: PasswordsService,
    private readonly config: Config,
  ) {}

  @Get('e-mail-address')
  address(@Asked() { viewer, form }: PageRequest): PageResult {
    if (!this.emails.byMail)
      return (
        <Page title="Change e-mail address" help={viewer.email} back={BACK}>
          <p>
            This service sends no e-mail, so you cannot confirm another address. Ask an
            administrator to change it: the page of your account has a field for it.
          </p>
        </Page>
      );
    return (
      <FormPage
        title="Change e-mail address"
        help={`Now it is ${viewer.email}. The new address gets a link; nothing changes until you open it.`}
        back={BACK}
        form={form}
        action={`${AT}/e-mail-address`}
        button="Send the link"
      >
        <TextInput
          name="email"
          label="New e-mail address"
          type="email"
          autocomplete="email"
          required
          autofocus
        />
        <CurrentPassword />
      </FormPage>
    );
  }

  @Post('e-mail-address')
  @OnRefusal('address', 'email')
  async changeAddress(@Asked() { accountId, form }: PageRequest): Promise<PageResult> {
    const email = form.text('email');
    const sentTo = await this.emails.request(accountId, email, form.text('current'));
    return redirect(AT, `Open the link that was sent to ${sentTo}. It works once, within a day.`);
  }

  @Get('delete')
  confirm(@Asked() { viewer, form }: PageRequest): PageResult {
    return (
      <FormPage
        title="Delete account"
        help={`${viewer.email} is deleted at once and for good.`}
        back={BACK}
        form={form}
        action={`${AT}/delete`}
        button="Delete account"
      >
        <p>
          Your API keys, sessions, webhooks, imports and notices are deleted, and your drafts. The
          results of your players stay at the quizzes of others, without the players’ names. Export
          your quizzes first if you want to keep them.
        </p>
        <SelectField
          name="quizzes"
          label="Published quizzes"
          options={[
            { value: 'delete', label: 'Delete them, with their results' },
            { value: 'keep', label: 'Keep them for everybody, under “Deleted account”' },
          ]}
        />
        <CurrentPassword />
      </FormPage>
    );
  }

  @Post('delete')
  @OnRefusal('confirm')
  async delete(@Asked() { viewer, form, response }: PageRequest): Promise<PageResult> {
    const quizzes = QUIZZES_OF_DELETED.find((choice) => choice === form.text('quizzes'));
    if (!quizzes) throw fieldError('quizzes', 'Choose what becomes of your quizzes');
    await this.passwords.verify(viewer.accountId, form.text('current'));
    await this.deletion.delete(viewer, viewer.accountId, quizzes);
    sessionCookie.clear(response, this.config);
    return (
      <Plain title="Your account is deleted">
        <p>
          You are signed out, and your API keys have ended. What else belongs to the account is
          deleted within the next minutes.
        </p>
      </Plain>
    );
  }
}

const CurrentPassword = () => (
  <TextInput
    name="current"
    label="Current password"
    type="password"
    autocomplete="current-password"
    required
  />
);
