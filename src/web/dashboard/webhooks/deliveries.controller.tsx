import { Get, Param, Post } from '@nestjs/common';
import { EVENT_NAMES } from '../../../events/event-map';
import { Clock } from '../../../platform/clock';
import { Invalid } from '../../../platform/errors/domain-errors';
import { isId } from '../../../platform/text/ids';
import { DeliveriesService } from '../../../webhooks/deliveries/deliveries.service';
import { EndpointNoticesService } from '../../../webhooks/endpoints/endpoint-notices.service';
import { EndpointsService } from '../../../webhooks/endpoints/endpoints.service';
import { count, momentOf } from '../../components/format';
import { invalid, redirect, type PageResult } from '../../http/page-results';
import { attempt, Form, PostedForm } from '../../http/form';
import { SignedInPages, QueryText } from '../../http/page-controller';
import { CurrentViewer, type Viewer } from '../../http/viewer';
import { DeliveriesPage, RetryFailedPage } from './deliveries.page';
import { WorkerStatus } from './worker-status.service';
import { DeliveryPage } from './delivery.page';
import { DELIVERY_STATUSES, TEST_EVENT } from './delivery-labels';

const HERE = '/dashboard/webhooks/deliveries';
const PER_PAGE = 25;
const DAY = 24 * 3_600_000;

@SignedInPages('webhooks/deliveries')
export class DeliveriesController {
  constructor(
    private readonly deliveries: DeliveriesService,
    private readonly endpoints: EndpointsService,
    private readonly notices: EndpointNoticesService,
    private readonly workers: WorkerStatus,
    private readonly clock: Clock,
  ) {}

  @Get()
  async list(
    @CurrentViewer() viewer: Viewer,
    @QueryText('status') status: string,
    @QueryText('event') event: string,
    @QueryText('endpoint') endpointId: string,
    @QueryText('before') before: string,
  ): Promise<PageResult> {
    const filter = {
      status: DELIVERY_STATUSES.find((it) => it === status),
      event: [...EVENT_NAMES, TEST_EVENT].find((it) => it === event),
      endpointId: isId(endpointId) ? endpointId : undefined,
      before: isId(before) ? before : undefined,
    };
    const [found, endpoints, notices, workerRunning] = await Promise.all([
      // One more than is shown tells whether there is another page.
      this.deliveries.list(viewer, { ...filter, limit: PER_PAGE + 1 }),
      this.endpoints.list(viewer),
      this.notices.list(viewer.accountId),
      this.workers.isRunning(),
    ]);
    const more = found.length > PER_PAGE;
    const deliveries = found.slice(0, PER_PAGE);
    return <DeliveriesPage {...{ deliveries, more, filter, endpoints, notices, workerRunning }} />;
  }

  @Get('retry')
  async askToRetryFailed(@CurrentViewer() viewer: Viewer): Promise<PageResult> {
    return this.retryFailedPage(viewer, new Form());
  }

  @Post('retry')
  async retryFailed(
    @CurrentViewer() viewer: Viewer,
    @PostedForm() form: Form,
  ): Promise<PageResult> {
    const retried = await attempt(form, () => {
      const since = momentOf(form.text('since'));
      if (!since)
        throw new Invalid('The form', [
          { path: 'since', message: 'Give a time such as 2026-03-01T12:30.', code: 'time' },
        ]);
      return this.deliveries.retryFailed(viewer, since, form.text('endpoint') || null);
    });
    if (retried instanceof Form)
      return invalid(retried, await this.retryFailedPage(viewer, retried));
    return redirect(
      HERE,
      retried === 0
        ? 'Nothing has failed since then at an endpoint that is enabled.'
        : `${count(retried, 'delivery is', 'deliveries are')} attempted once more.`,
    );
  }

  @Get(':id')
  async show(@CurrentViewer() viewer: Viewer, @Param('id') id: string): Promise<PageResult> {
    return this.page(viewer, id, new Form());
  }

  @Post(':id/retry')
  async retry(
    @CurrentViewer() viewer: Viewer,
    @Param('id') id: string,
    @PostedForm() form: Form,
  ): Promise<PageResult> {
    const before = await this.deliveries.get(viewer, id);
    const retried = await attempt(form, () => this.deliveries.retry(viewer, id));
    if (retried instanceof Form) return invalid(retried, await this.page(viewer, id, retried));
    const { attempts } = before;
    const after = await this.workers.afterNextAttempt(viewer, id, attempts);
    const arrived = after.status === 'delivered' && before.status !== 'delivered';
    return redirect(`${HERE}/${id}`, arrived ? 'The event has arrived.' : undefined);
  }

  private async page(viewer: Viewer, id: string, form: Form) {
    const [delivery, endpoints, workerRunning] = await Promise.all([
      this.deliveries.get(viewer, id),
      this.endpoints.list(viewer),
      this.workers.isRunning(),
    ]);
    // Not among them: it was deleted.
    const endpoint = endpoints.find((it) => it.id === delivery.endpointId) ?? null;
    return <DeliveryPage {...{ delivery, endpoint, workerRunning, form }} />;
  }

  private async retryFailedPage(viewer: Viewer, form: Form) {
    const since = new Date(this.clock.now().getTime() - DAY);
    return (
      <RetryFailedPage form={form} since={since} endpoints={await this.endpoints.list(viewer)} />
    );
  }
}
