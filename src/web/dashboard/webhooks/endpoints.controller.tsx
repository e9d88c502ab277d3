import { Get, Param, Post } from '@nestjs/common';
import { DeliveriesService } from '../../../webhooks/deliveries/deliveries.service';
import { EndpointNoticesService } from '../../../webhooks/endpoints/endpoint-notices.service';
import { EndpointSecretsService } from '../../../webhooks/endpoints/endpoint-secrets.service';
import {
  EndpointsService,
  type EndpointSettings,
} from '../../../webhooks/endpoints/endpoints.service';
import { TestEventsService } from '../../../webhooks/endpoints/test-events.service';
import { invalid, redirect, type PageResult } from '../../http/page-results';
import { attempt, Form, PostedForm } from '../../http/form';
import { SignedInPages } from '../../http/page-controller';
import { CurrentViewer, type Viewer } from '../../http/viewer';
import { WorkerStatus } from './worker-status.service';
import { EditEndpointPage, NewEndpointPage } from './endpoint-form.page';
import { shortUrl } from './endpoint-state';
import { EndpointPage, EndpointsPage } from './endpoints.page';
import { EndpointAddedPage, SecretStagedPage } from './signing-secret';

/** Deliveries on an endpoint's own page. */
const NEWEST = 5;

@SignedInPages('webhooks')
export class EndpointsController {
  constructor(
    private readonly endpoints: EndpointsService,
    private readonly notices: EndpointNoticesService,
    private readonly deliveries: DeliveriesService,
    private readonly secrets: EndpointSecretsService,
    private readonly tests: TestEventsService,
    private readonly workers: WorkerStatus,
  ) {}

  @Get()
  async list(@CurrentViewer() viewer: Viewer): Promise<PageResult> {
    const [endpoints, notices, workerRunning] = await Promise.all([
      this.endpoints.list(viewer),
      this.notices.list(viewer.accountId),
      this.workers.isRunning(),
    ]);
    return <EndpointsPage {...{ endpoints, notices, workerRunning }} />;
  }

  @Get('new')
  blank(): PageResult {
    return <NewEndpointPage form={new Form()} />;
  }

  /** The answer is the page with the secret, and no redirect: it is kept nowhere from where it could be read. */
  @Post()
  async add(@CurrentViewer() viewer: Viewer, @PostedForm() form: Form): Promise<PageResult> {
    const added = await attempt(form, () =>
      this.endpoints.add(viewer.accountId, settingsOf(form, viewer)),
    );
    if (added instanceof Form) return invalid(added, <NewEndpointPage form={added} />);
    return <EndpointAddedPage endpoint={added.endpoint} secret={added.secret} />;
  }

  @Get(':id')
  async show(@CurrentViewer() viewer: Viewer, @Param('id') id: string): Promise<PageResult> {
    return this.page(viewer, id, new Form());
  }

  @Get(':id/edit')
  async edit(@CurrentViewer() viewer: Viewer, @Param('id') id: string): Promise<PageResult> {
    return <EditEndpointPage endpoint={await this.endpoints.get(viewer, id)} form={new Form()} />;
  }

  @Post(':id/edit')
  async save(
    @CurrentViewer() viewer: Viewer,
    @Param('id') id: string,
    @PostedForm() form: Form,
  ): Promise<PageResult> {
    const saved = await attempt(form, () =>
      this.endpoints.update(viewer, id, settingsOf(form, viewer)),
    );
    if (saved instanceof Form)
      return invalid(
        saved,
        <EditEndpointPage endpoint={await this.endpoints.get(viewer, id)} form={saved} />,
      );
    return redirect(`/dashboard/webhooks/${id}`, 'The settings are saved.');
  }

  @Post(':id/disable')
  async disable(@CurrentViewer() viewer: Viewer, @Param('id') id: string): Promise<PageResult> {
    const { url } = await this.endpoints.disable(viewer, id);
    return redirect(
      `/dashboard/webhooks/${id}`,
      `${shortUrl(url)} is disabled. Its events are kept.`,
    );
  }

  @Post(':id/enable')
  async enable(@CurrentViewer() viewer: Viewer, @Param('id') id: string): Promise<PageResult> {
    const { url } = await this.endpoints.enable(viewer, id);
    return redirect(
      `/dashboard/webhooks/${id}`,
      `${shortUrl(url)} is enabled. What was kept is sent now.`,
    );
  }

  @Post(':id/dismiss')
  async dismiss(
    @CurrentViewer() viewer: Viewer,
    @Param('id') id: string,
    @PostedForm() form: Form,
  ): Promise<PageResult> {
    await this.notices.dismiss(viewer, id);
    return redirect(form.text('at') === 'overview' ? '/dashboard' : '/dashboard/webhooks');
  }

  @Post(':id/delete')
  async remove(@CurrentViewer() viewer: Viewer, @Param('id') id: string): Promise<PageResult> {
    const { url } = await this.endpoints.get(viewer, id);
    await this.endpoints.remove(viewer, id);
    return redirect('/dashboard/webhooks', `${shortUrl(url)} is deleted.`);
  }

  /** Leads to the test's delivery, where its result is. */
  @Post(':id/test')
  async test(
    @CurrentViewer() viewer: Viewer,
    @Param('id') id: string,
    @PostedForm() form: Form,
  ): Promise<PageResult> {
    const deliveryId = await attempt(form, () => this.tests.send(viewer, id));
    if (deliveryId instanceof Form)
      return invalid(deliveryId, await this.page(viewer, id, deliveryId));
    const { status } = await this.workers.afterNextAttempt(viewer, deliveryId, 0);
    return redirect(
      `/dashboard/webhooks/deliveries/${deliveryId}`,
      status === 'delivered' ? 'The test event has arrived.' : undefined,
    );
  }

  /** The answer is the page with the secret, and no redirect. */
  @Post(':id/secret/stage')
  async stage(
    @CurrentViewer() viewer: Viewer,
    @Param('id') id: string,
    @PostedForm() form: Form,
  ): Promise<PageResult> {
    const staged = await attempt(form, () => this.secrets.stage(viewer, id));
    if (staged instanceof Form) return invalid(staged, await this.page(viewer, id, staged));
    return <SecretStagedPage endpoint={staged.endpoint} secret={staged.secret} />;
  }

  @Post(':id/secret/promote')
  promote(
    @CurrentViewer() viewer: Viewer,
    @Param('id') id: string,
    @PostedForm() form: Form,
  ): Promise<PageResult> {
    return this.step(viewer, id, form, 'promote', 'The new secret is promoted.');
  }

  @Post(':id/secret/retire')
  retire(
    @CurrentViewer() viewer: Viewer,
    @Param('id') id: string,
    @PostedForm() form: Form,
  ): Promise<PageResult> {
    return this.step(viewer, id, form, 'retire', 'The old secret is retired.');
  }

  private async step(
    viewer: Viewer,
    id: string,
    form: Form,
    step: 'promote' | 'retire',
    notice: string,
  ): Promise<PageResult> {
    const done = await attempt(form, () => this.secrets[step](viewer, id));
    if (done instanceof Form) return invalid(done, await this.page(viewer, id, done));
    return redirect(`/dashboard/webhooks/${id}#secret`, notice);
  }

  /** @throws NotFound, also for another account's endpoint */
  private async page(viewer: Viewer, id: string, form: Form) {
    const endpoint = await this.endpoints.get(viewer, id);
    const [deliveries, workerRunning] = await Promise.all([
      this.deliveries.list(viewer, { endpointId: id, limit: NEWEST }),
      this.workers.isRunning(),
    ]);
    return <EndpointPage {...{ endpoint, deliveries, workerRunning, form }} />;
  }
}

/** Nobody else is asked whose events: what a form of theirs says of it is for the service to refuse. */
function settingsOf(form: Form, { isAdmin }: Viewer): EndpointSettings {
  const wanted = form.text('allAccounts') === 'yes';
  return {
    url: form.text('url'),
    events: form.all('events'),
    ...((isAdmin || wanted) && { allAccounts: wanted }),
  };
}
