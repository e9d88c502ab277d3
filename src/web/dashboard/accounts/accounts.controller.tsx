import { Get, Post } from '@nestjs/common';
import { AccountAdministrationService } from '../../../access/accounts/account-administration.service';
import type { AccountRow } from '../../../access/accounts/account-administration.service';
import { AccountsService } from '../../../access/accounts/accounts.service';
import { AuditLog } from '../../../access/accounts/audit-log';
import { PLANS, PLAN_NAMES } from '../../../access/accounts/plan.rules';
import { OwnedQuizzesService } from '../../../catalog/quizzes/owned-quizzes.service';
import { EndpointsService } from '../../../webhooks/endpoints/endpoints.service';
import { pageOf } from '../../components/table';
import { fieldError, Form } from '../../http/form';
import { AdministratorPages, Asked, type PageRequest } from '../../http/page-controller';
import { redirect, submit, type PageResult } from '../../http/page-results';
import { AccountPage, AccountsPage, type AccountWithQuota } from './accounts.page';

const PER_PAGE = 25;

@AdministratorPages('accounts')
export class AccountsController {
  constructor(
    private readonly administration: AccountAdministrationService,
    private readonly accounts: AccountsService,
    private readonly audit: AuditLog,
    private readonly quizzes: OwnedQuizzesService,
    private readonly endpoints: EndpointsService,
  ) {}

  @Get()
  async list(@Asked() { query }: PageRequest): Promise<PageResult> {
    const search = query('q');
    const page = pageOf(query('page'), PER_PAGE);
    const { accounts, total } = await this.administration.list(search, page);
    const rows = await this.withQuota(accounts);
    const endpoints = await this.endpoints.listForAllAccounts();
    return <AccountsPage {...{ rows, search, page, total, endpoints }} />;
  }

  @Get(':id')
  show(@Asked() asked: PageRequest): Promise<PageResult> {
    return this.page(asked, new Form());
  }

  @Post(':id/plan')
  changePlan(@Asked() asked: PageRequest): Promise<PageResult> {
    return this.change(asked, async ({ viewer, id, form }) => {
      const plan = PLANS.find((name) => name === form.text('plan'));
      if (!plan) throw fieldError('plan', 'Choose one of the plans');
      const { email } = await this.administration.setPlan(viewer, id, plan);
      return `${email} is on the ${PLAN_NAMES[plan]} plan.`;
    });
  }

  @Post(':id/administrator')
  changeAdministrator(@Asked() asked: PageRequest): Promise<PageResult> {
    return this.change(asked, async ({ viewer, id, form }) => {
      const isAdmin = form.text('administrator') === 'yes';
      const { email } = await this.administration.setAdministrator(viewer, id, isAdmin);
      return `${email} is ${isAdmin ? 'an administrator' : 'no longer an administrator'}.`;
    });
  }

  @Post(':id/disabled')
  changeDisabled(@Asked() asked: PageRequest): Promise<PageResult> {
    return this.change(asked, async ({ viewer, id, form }) => {
      const disabled = form.text('disabled') === 'yes';
      const { email } = await this.administration.setDisabled(viewer, id, disabled);
      return disabled
        ? `${email} is disabled: its keys are refused, its sessions are ended, its quizzes are hidden and its webhooks wait.`
        : `${email} is enabled: its keys, quizzes and webhooks work again.`;
    });
  }

  /** @param work makes the change and returns what the page says about it */
  private change(asked: PageRequest, work: (asked: PageRequest) => Promise<string>) {
    return submit(
      asked.form,
      async () => redirect(`/dashboard/admin/accounts/${asked.id}`, await work(asked)),
      (refused) => this.page(asked, refused),
    );
  }

  private async page({ accountId, id }: PageRequest, form: Form) {
    const account = await this.administration.get(id);
    const [[row], entries] = await Promise.all([
      this.withQuota([account]),
      this.audit.about(account.id, 10),
    ]);
    return <AccountPage {...{ row: row!, isOwn: accountId === account.id, entries, form }} />;
  }

  private async withQuota(accounts: AccountRow[]): Promise<AccountWithQuota[]> {
    const owned = await this.quizzes.countByOwner(accounts.map(({ id }) => id));
    return accounts.map((account) => ({
      ...account,
      quizzes: owned.get(account.id) ?? 0,
      limit: this.accounts.quizLimitOf(account),
    }));
  }
}
