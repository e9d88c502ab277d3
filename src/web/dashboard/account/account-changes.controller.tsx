import { Get, Post } from '@nestjs/common';
import { QUIZZES_OF_DELETED } from '../../../access/administration/account-content';
import { AccountDeletionService } from '../../../access/administration/account-deletion.service';
import { EmailChangesService } from '../../../access/administration/email-changes.service';
import { PasswordsService } from '../../../access/sessions/passwords.service';
import { Config } from '../../../platform/config/config';
import type { Messages } from '../../../platform/messages/messages';
import { Plain } from '../../components/document';
import { SelectField, TextInput } from '../../components/fields';
import { FormPage, Page } from '../../components/page';
import { sessionCookie } from '../../http/cookies';
import { fieldError } from '../../http/form';
import { useMessages } from '../../http/page-context';
import { Asked, OnRefusal, type PageRequest, SignedInPages } from '../../http/page-controller';
import { type PageResult, redirect } from '../../http/page-results';

const AT = '/dashboard/account';
const backToAccount = ({ t }: Messages) => ({ href: AT, label: t('nav.account') });

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
  address(@Asked() { viewer, form, messages }: PageRequest): PageResult {
    const { t } = messages;
    if (!this.emails.byMail)
      return (
        <Page title={t('account.changeEmail')} help={viewer.email} back={backToAccount(messages)}>
          <p>{t('account.noMail')}</p>
        </Page>
      );
    return (
      <FormPage
        title={t('account.changeEmail')}
        help={t('account.nowIs', { email: viewer.email })}
        back={backToAccount(messages)}
        form={form}
        action={`${AT}/e-mail-address`}
        button={t('password.send')}
      >
        <TextInput
          name="email"
          label={t('account.newEmail')}
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
  async changeAddress(@Asked() { accountId, form, messages }: PageRequest): Promise<PageResult> {
    const { t } = messages;
    const email = form.text('email');
    const sentTo = await this.emails.request(accountId, email, form.text('current'), messages);
    return redirect(AT, t('account.sentTo', { email: sentTo }));
  }

  @Get('delete')
  confirm(@Asked() { viewer, form, messages }: PageRequest): PageResult {
    const { t } = messages;
    return (
      <FormPage
        title={t('account.delete')}
        help={t('account.deleteHelp', { email: viewer.email })}
        back={backToAccount(messages)}
        form={form}
        action={`${AT}/delete`}
        button={t('account.delete')}
      >
        <p>{t('account.deleteText')}</p>
        <SelectField
          name="quizzes"
          label={t('account.published')}
          options={[
            { value: 'delete', label: t('account.deleteThem') },
            { value: 'keep', label: t('account.keepThem') },
          ]}
        />
        <CurrentPassword />
      </FormPage>
    );
  }

  @Post('delete')
  @OnRefusal('confirm')
  async delete(@Asked() { viewer, form, response, messages }: PageRequest): Promise<PageResult> {
    const { t } = messages;
    const quizzes = QUIZZES_OF_DELETED.find((choice) => choice === form.text('quizzes'));
    if (!quizzes) throw fieldError('quizzes', 'Choose what becomes of your quizzes');
    const passwordHash = await this.passwords.verify(viewer.accountId, form.text('current'));
    await this.deletion.delete(viewer, viewer.accountId, quizzes, { messages, passwordHash });
    sessionCookie.clear(response, this.config);
    return (
      <Plain title={t('account.isDeleted')}>
        <p>{t('account.isDeletedText')}</p>
      </Plain>
    );
  }
}

export const CurrentPassword = () => {
  const { t } = useMessages();
  return (
    <TextInput
      name="current"
      label={t('account.current')}
      type="password"
      autocomplete="current-password"
      required
    />
  );
};
