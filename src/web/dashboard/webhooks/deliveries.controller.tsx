import { Get, Post } from '@nestjs/common';
import { EVENT_NAMES } from '../../../events/event-map';
import { Clock } from '../../../platform/clock';
import { isId } from '../../../platform/text/ids';
import { DeliveriesService } from '../../../webhooks/deliveries/deliveries.service';
import { EndpointNoticesService } from '../../../webhooks/endpoints/endpoint-notices.service';
import { EndpointsService } from '../../../webhooks/endpoints/endpoints.service';
import { count, momentOf } from '../../components/format';
import { fieldError } from '../../http/form';
import { Asked, OnRefusal, SignedInPages, type PageRequest } from '../../http/page-controller';
import { redirect, type PageResult } from '../../http/page-results';
import { DeliveriesPage, RetryFailedPage } from './deliveries.page';
import { DELIVERY_STATUSES, TEST_EVENT } from './delivery-state';
import { DeliveryPage } from './delivery.page';
import { WorkerStatus } from './worker-status.service';

const AT = '/dashboard/webhooks/deliveries';
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
  async list(@Asked() { viewer, query }: PageRequest): Promise<PageResult> {
    const id = (name: string) => (isId(query(name)) ? query(name) : undefined);
    const filter = {
      status: DELIVERY_STATUSES.find((it) => it === query('status')),
      event: [...EVENT_NAMES, TEST_EVENT].find((it) => it === query('event')),
      endpointId: id('endpoint'),
      before: id('before'),
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
  async askToRetryFailed(@Asked() { viewer, form }: PageRequest): Promise<PageResult> {
    const since = new Date(this.clock.now().getTime() - DAY);
    const endpoints = await this.endpoints.list(viewer);
    return <RetryFailedPage {...{ form, since, endpoints }} />;
  }

  @Post('retry')
  @OnRefusal('askToRetryFailed')
  async retryFailed(@Asked() { viewer, form }: PageRequest): Promise<PageResult> {
    const since = momentOf(form.text('since'));
    if (!since) throw fieldError('since', 'Give a time such as 2026-03-01T12:30.', 'time');
    const endpointId = form.text('endpoint') || null;
    const retried = await this.deliveries.retryFailed(viewer, since, endpointId);
    return redirect(
      AT,
      retried === 0
        ? 'Nothing has failed since then at an endpoint that is enabled.'
        : `${count(retried, 'delivery is', 'deliveries are')} attempted once more.`,
    );
  }

  @Get(':id')
  async show(@Asked() { viewer, id, form }: PageRequest): Promise<PageResult> {
    const [delivery, endpoints, workerRunning] = await Promise.all([
      this.deliveries.get(viewer, id),
      this.endpoints.list(viewer),
      this.workers.isRunning(),
    ]);
    // Not among them: it was deleted.
    const endpoint = endpoints.find((it) => it.id === delivery.endpointId) ?? null;
    return <DeliveryPage {...{ delivery, endpoint, workerRunning, form }} />;
  }

  @Post(':id/retry')
  @OnRefusal('show')
  async retry(@Asked() { viewer, id }: PageRequest): Promise<PageResult> {
    const before = await this.deliveries.get(viewer, id);
    await this.deliveries.retry(viewer, id);
    const after = await this.workers.afterNextAttempt(viewer, id, before.attempts);
    const arrived = after.status === 'delivered' && before.status !== 'delivered';
    return redirect(`${AT}/${id}`, arrived ? 'The event has arrived.' : undefined);
  }
}
