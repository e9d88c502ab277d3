import { Get, Param, Post } from '@nestjs/common';
import { AccountAdministrationService } from '../../../access/accounts/account-administration.service';
import { AccountsService } from '../../../access/accounts/accounts.service';
import { AuditLog } from '../../../access/accounts/audit-log';
import { PLANS, PLAN_NAMES } from '../../../access/accounts/plan.rules';
import { OwnedQuizzesService } from '../../../catalog/quizzes/owned-quizzes.service';
import { Invalid } from '../../../platform/errors/domain-errors';
import { EndpointsService } from '../../../webhooks/endpoints/endpoints.service';
import { pageOf } from '../../components/pager';
import { invalid, redirect, type PageResult } from '../../http/page-results';
import { attempt, Form, PostedForm } from '../../http/form';
import { AdministratorPages, QueryText } from '../../http/page-controller';
import { CurrentViewer, type Viewer } from '../../http/viewer';
import { AccountDetailPage } from './account-detail.page';
import { AccountsPage } from './accounts.page';

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
  async list(
    @QueryText('q') search: string,
    @QueryText('page') number: string,
  ): Promise<PageResult> {
    const page = pageOf(number, PER_PAGE);
    const { accounts, total } = await this.administration.list(search, page);
    const owned = await this.quizzes.countByOwner(accounts.map(({ id }) => id));
    const rows = accounts.map((account) => ({
      ...account,
      quizzes: owned.get(account.id) ?? 0,
      limit: this.accounts.quizLimitOf(account),
    }));
    const endpoints = await this.endpoints.listForAllAccounts();
    return <AccountsPage {...{ rows, search, page, total, endpoints }} />;
  }

  @Get(':id')
  show(@CurrentViewer() viewer: Viewer, @Param('id') id: string): Promise<PageResult> {
    return this.detail(viewer, id, new Form());
  }

  @Post(':id/plan')
  async changePlan(
    @CurrentViewer() viewer: Viewer,
    @Param('id') id: string,
    @PostedForm() form: Form,
  ): Promise<PageResult> {
    const changed = await attempt(form, () => {
      const plan = PLANS.find((name) => name === form.text('plan'));
      if (!plan)
        throw new Invalid('The form', [
          { path: 'plan', message: 'Choose one of the plans', code: 'choice' },
        ]);
      return this.administration.setPlan(viewer, id, plan);
    });
    if (changed instanceof Form) return invalid(changed, await this.detail(viewer, id, changed));
    return done(id, `${changed.email} is on the ${PLAN_NAMES[changed.plan]} plan.`);
  }

  @Post(':id/administrator')
  async changeAdministrator(
    @CurrentViewer() viewer: Viewer,
    @Param('id') id: string,
    @PostedForm() form: Form,
  ): Promise<PageResult> {
    const isAdmin = form.text('administrator') === 'yes';
    const changed = await attempt(form, () =>
      this.administration.setAdministrator(viewer, id, isAdmin),
    );
    if (changed instanceof Form) return invalid(changed, await this.detail(viewer, id, changed));
    return done(
      id,
      `${changed.email} is ${isAdmin ? 'an administrator' : 'no longer an administrator'}.`,
    );
  }

  @Post(':id/disabled')
  async changeDisabled(
    @CurrentViewer() viewer: Viewer,
    @Param('id') id: string,
    @PostedForm() form: Form,
  ): Promise<PageResult> {
    const disabled = form.text('disabled') === 'yes';
    const changed = await attempt(form, () =>
      this.administration.setDisabled(viewer, id, disabled),
    );
    if (changed instanceof Form) return invalid(changed, await this.detail(viewer, id, changed));
    return done(
      id,
      disabled
        ? `${changed.email} is disabled: its keys are refused, its sessions are ended, its quizzes are hidden and its webhooks wait.`
        : `${changed.email} is enabled: its keys, quizzes and webhooks work again.`,
    );
  }

  private async detail(viewer: Viewer, id: string, form: Form) {
    const account = await this.administration.get(id);
    const [owned, entries] = await Promise.all([
      this.quizzes.countByOwner([account.id]),
      this.audit.about(account.id, 10),
    ]);
    const row = {
      ...account,
      quizzes: owned.get(account.id) ?? 0,
      limit: this.accounts.quizLimitOf(account),
    };
    return (
      <AccountDetailPage
        row={row}
        isOwn={viewer.accountId === account.id}
        entries={entries}
        form={form}
      />
    );
  }
}

const done = (id: string, notice: string) => redirect(`/dashboard/admin/accounts/${id}`, notice);
