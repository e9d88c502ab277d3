import { Get, Post } from '@nestjs/common';
import { AccountsService } from '../../../access/accounts/accounts.service';
import { PLAN_NAMES } from '../../../access/accounts/plan.rules';
import { AccountAdministrationService } from '../../../access/administration/account-administration.service';
import { QUIZZES_OF_DELETED } from '../../../access/administration/account-content';
import { AccountDeletionService } from '../../../access/administration/account-deletion.service';
import { EmailChangesService } from '../../../access/administration/email-changes.service';
import { ApiKeysService } from '../../../access/api-keys/api-keys.service';
import { AuditLog } from '../../../access/audit/audit-log';
import { OwnedQuizzesService } from '../../../catalog/quizzes/owned-quizzes.service';
import { fieldError, type Form, wholeNumberIn } from '../../http/form';
import { AdministratorPages, Asked, OnRefusal, type PageRequest } from '../../http/page-controller';
import { type PageResult, redirect } from '../../http/page-results';
import { chosenPlan } from './account-form';
import { AT, ManagedAccountPage, withQuota } from './managed-account.page';

/** An account as administrators see and change it. */
@AdministratorPages('accounts')
export class ManagedAccountController {
  constructor(
    private readonly administration: AccountAdministrationService,
    private readonly accounts: AccountsService,
    private readonly deletion: AccountDeletionService,
    private readonly emails: EmailChangesService,
    private readonly keys: ApiKeysService,
    private readonly audit: AuditLog,
    private readonly quizzes: OwnedQuizzesService,
  ) {}

  @Get(':id')
  async show(@Asked() { accountId, id, form }: PageRequest): Promise<PageResult> {
    const account = await this.administration.get(id);
    const owned = await this.quizzes.countByOwner([account.id]);
    return (
      <ManagedAccountPage
        row={withQuota(account, owned, this.accounts)}
        keys={await this.keys.listWorking(account.id)}
        entries={await this.audit.about(account.id, 10)}
        isOwn={accountId === account.id}
        form={form}
      />
    );
  }

  @Post(':id/plan')
  @OnRefusal('show')
  async changePlan(
    @Asked() { viewer, id, form, messages: { t } }: PageRequest,
  ): Promise<PageResult> {
    const plan = chosenPlan(form);
    const { email } = await this.administration.setPlan(viewer, id, plan, seenIn(form));
    return redirect(`${AT}/${id}`, t('accounts.planIs', { email, plan: PLAN_NAMES[plan] }));
  }

  @Post(':id/rate')
  @OnRefusal('show')
  async changeRate(
    @Asked() { viewer, id, form, messages: { t } }: PageRequest,
  ): Promise<PageResult> {
    const perMinute = wholeNumberIn(form.text('requestsPerMinute'));
    const key = await this.keys.get(id, form.text('key'));
    await this.keys.setRate(viewer, key.id, perMinute);
    return redirect(
      `${AT}/${id}`,
      perMinute === null
        ? t('accounts.rateByAddress', { name: key.name })
        : t('accounts.rateIs', { name: key.name, count: perMinute }),
    );
  }

  @Post(':id/administrator')
  @OnRefusal('show')
  async changeAdministrator(
    @Asked() { viewer, id, form, messages: { t } }: PageRequest,
  ): Promise<PageResult> {
    const isAdmin = form.text('administrator') === 'yes';
    const { email } = await this.administration.setAdministrator(viewer, id, isAdmin, seenIn(form));
    const notice = t(isAdmin ? 'accounts.isAdmin' : 'accounts.isNoAdmin', { email });
    return redirect(`${AT}/${id}`, notice);
  }

  @Post(':id/disabled')
  @OnRefusal('show')
  async changeDisabled(
    @Asked() { viewer, id, form, messages: { t } }: PageRequest,
  ): Promise<PageResult> {
    const disabled = form.text('disabled') === 'yes';
    const { email } = await this.administration.setDisabled(viewer, id, disabled, seenIn(form));
    return redirect(
      `${AT}/${id}`,
      t(disabled ? 'accounts.isDisabled' : 'accounts.isEnabled', { email }),
    );
  }

  @Post(':id/plan-request')
  @OnRefusal('show')
  async decline(@Asked() { viewer, id, form, messages: { t } }: PageRequest): Promise<PageResult> {
    const { email } = await this.administration.declinePlan(viewer, id, seenIn(form));
    return redirect(`${AT}/${id}`, t('accounts.declined', { email }));
  }

  @Post(':id/e-mail')
  @OnRefusal('show', 'email')
  async changeAddress(
    @Asked() { viewer, id, form, messages: { t } }: PageRequest,
  ): Promise<PageResult> {
    const account = await this.administration.get(id);
    const typed = form.text('email');
    const email = await this.emails.set(viewer, account.id, typed, seenIn(form));
    return redirect(`${AT}/${id}`, t('accounts.emailIs', { email }));
  }

  @Post(':id/delete')
  @OnRefusal('show')
  async delete(@Asked() { viewer, id, form, messages: { t } }: PageRequest): Promise<PageResult> {
    await this.deletion.requireMayDelete(viewer, id);
    const quizzes = QUIZZES_OF_DELETED.find((choice) => choice === form.text('quizzes'));
    if (!quizzes) throw fieldError('', 'Choose what becomes of the quizzes');
    const email = await this.deletion.delete(viewer, id, quizzes, { seen: seenIn(form) });
    return redirect(AT, t('accounts.goes', { email }));
  }
}

/** The version of the account that the page has shown. */
const seenIn = (form: Form) => form.text('version') || undefined;
