import { Get, Post } from '@nestjs/common';
import { EVENT_NAMES } from '../../../events/event-map';
import { Clock } from '../../../platform/clock';
import { DAY } from '../../../platform/durations';
import { isId } from '../../../platform/text/ids';
import { DeliveriesService } from '../../../webhooks/deliveries/deliveries.service';
import { DELIVERY_STATUSES, TEST_EVENT } from '../../../webhooks/deliveries/delivery.rules';
import { WorkersService } from '../../../webhooks/deliveries/workers.service';
import type { EndpointView } from '../../../webhooks/endpoints/endpoints.dto';
import { EndpointsService } from '../../../webhooks/endpoints/endpoints.service';
import { LinkButton } from '../../components/button';
import { type Option, Select, SelectField, TextInput } from '../../components/fields';
import { momentOf } from '../../components/format';
import { filtering, FormPage, Page } from '../../components/page';
import { EmptyState, NewestFirst } from '../../components/table';
import { fieldError } from '../../http/form';
import { useMessages } from '../../http/page-context';
import { Asked, OnRefusal, type PageRequest, SignedInPages } from '../../http/page-controller';
import { type PageResult, redirect } from '../../http/page-results';
import { DeliveryPage } from './delivery.page';
import { DeliveryTable, patienceWith } from './delivery-state';
import { headOf, shortUrl, WebhooksTop } from './endpoint-state';

const AT = '/dashboard/webhooks/deliveries';
const PER_PAGE = 25;
const EVENTS = [...EVENT_NAMES, TEST_EVENT];

@SignedInPages('webhooks/deliveries')
export class DeliveriesPagesController {
  constructor(
    private readonly deliveries: DeliveriesService,
    private readonly endpoints: EndpointsService,
    private readonly workers: WorkersService,
    private readonly clock: Clock,
  ) {}

  @Get()
  async list(@Asked() { viewer, query, messages }: PageRequest): Promise<PageResult> {
    const id = (name: string) => (isId(query(name)) ? query(name) : undefined);
    const filter = {
      status: DELIVERY_STATUSES.find((it) => it === query('status')),
      event: EVENTS.find((it) => it === query('event')),
      endpointId: id('endpoint'),
      before: id('before'),
    };
    const [found, endpoints, workerRunning] = await Promise.all([
      // One more than is shown tells whether there is another page.
      this.deliveries.list(viewer, { ...filter, limit: PER_PAGE + 1 }),
      this.endpoints.list(viewer),
      this.workers.isRunning(),
    ]);
    const { t } = messages;
    const deliveries = found.slice(0, PER_PAGE);
    const isFiltered = Object.values(filter).some((value) => value !== undefined);
    const none = found.length === 0 && !isFiltered;
    const { status = '', event = '', endpointId: endpoint = '' } = filter;
    const href = (before = '') =>
      `${AT}?${new URLSearchParams({ status, event, endpoint, before }).toString()}`;
    return (
      <Page
        {...headOf(messages)}
        action={
          !none && (
            <LinkButton look="outline" href={`${AT}/retry`} text={t('delivery.retryFailed')} />
          )
        }
      >
        <WebhooksTop at="deliveries" workerRunning={workerRunning} />
        {!none && <Filters chosen={{ status, event, endpoint }} endpoints={endpoints} />}
        <div id="deliveries">
          {found.length > 0 ? (
            <DeliveryTable deliveries={deliveries} endpoint />
          ) : none ? (
            <EmptyState title={t('delivery.none')} text={t('delivery.noneText')}>
              <LinkButton
                look="outline"
                href={endpoints.length > 0 ? '/dashboard/webhooks' : '/dashboard/webhooks/new'}
                text={t(endpoints.length > 0 ? 'delivery.toEndpoints' : 'webhook.addOne')}
              />
            </EmptyState>
          ) : (
            <EmptyState title={t('delivery.noMatch')}>
              <LinkButton look="outline" href={AT} text={t('delivery.showAll')} />
            </EmptyState>
          )}
          <NewestFirst
            newest={filter.before && href()}
            older={found.length > PER_PAGE ? href(deliveries.at(-1)?.id) : undefined}
          />
        </div>
      </Page>
    );
  }

  @Get('retry')
  async askToRetryFailed(
    @Asked() { viewer, form, messages: { t } }: PageRequest,
  ): Promise<PageResult> {
    const dayAgo = new Date(this.clock.now().getTime() - DAY);
    const endpoints = await this.endpoints.list(viewer);
    const enabled = endpoints.filter(({ disabledAt }) => !disabledAt);
    return (
      <FormPage
        title={t('delivery.retryTitle')}
        help={t('delivery.retryHelp')}
        back={{ href: AT, label: t('webhook.deliveries') }}
        form={form}
        action={`${AT}/retry`}
        button={t('delivery.retry')}
      >
        <TextInput
          name="since"
          label={t('delivery.since')}
          type="datetime-local"
          initial={dayAgo.toISOString().slice(0, 16)}
          required
          help={t('delivery.sinceHelp')}
        />
        <SelectField
          name="endpoint"
          label={t('delivery.endpoint')}
          options={[{ value: '', label: t('delivery.allEnabled') }, ...enabled.map(optionOf)]}
        />
      </FormPage>
    );
  }

  @Post('retry')
  @OnRefusal('askToRetryFailed')
  async retryFailed(@Asked() { viewer, form, messages: { t } }: PageRequest): Promise<PageResult> {
    const since = momentOf(form.text('since'));
    if (!since) throw fieldError('since', 'Give a time such as 2026-03-01T12:30.', 'time');
    const endpointId = form.text('endpoint') || null;
    const retried = await this.deliveries.retryFailed(viewer, since, endpointId);
    return redirect(
      AT,
      retried === 0 ? t('delivery.retriedNone') : t('delivery.retried', { count: retried }),
    );
  }

  @Get(':id')
  async show(@Asked() { viewer, id, form }: PageRequest): Promise<PageResult> {
    const [delivery, endpoints, workerRunning] = await Promise.all([
      this.deliveries.get(viewer, id),
      this.endpoints.list(viewer),
      this.workers.isRunning(),
    ]);
    // It is not in the list if it was deleted.
    const endpoint = endpoints.find((it) => it.id === delivery.endpointId) ?? null;
    return <DeliveryPage {...{ delivery, endpoint, workerRunning, form }} />;
  }

  @Post(':id/retry')
  @OnRefusal('show')
  async retry(@Asked() { viewer, id, messages: { t } }: PageRequest): Promise<PageResult> {
    const before = await this.deliveries.get(viewer, id);
    await this.deliveries.retry(viewer, id);
    const patience = await patienceWith(this.workers);
    const after = await this.deliveries.afterNextAttempt(viewer, id, before.attempts, patience);
    const arrived = after.status === 'delivered' && before.status !== 'delivered';
    return redirect(`${AT}/${id}`, arrived ? t('delivery.arrived') : undefined);
  }
}

const optionOf = ({ id, url }: EndpointView): Option => ({ value: id, label: shortUrl(url) });

/** With a script each choice updates the list; without one, the button does. */
function Filters(props: {
  chosen: { status: string; event: string; endpoint: string };
  endpoints: EndpointView[];
}) {
  const { t } = useMessages();
  const options = {
    status: DELIVERY_STATUSES.map((value): Option => ({
      value,
      label: t(`delivery.status.${value}`),
    })),
    event: EVENTS.map((value): Option => ({ value, label: value })),
    endpoint: props.endpoints.map(optionOf),
  };
  const select = (name: keyof typeof options, label: string, any: string) => (
    <Select
      name={name}
      aria-label={label}
      chosen={props.chosen[name]}
      options={[{ value: '', label: any }, ...options[name]]}
    />
  );
  return (
    <form
      class="toolbar"
      role="search"
      aria-label={t('webhook.deliveries')}
      method="get"
      action={AT}
      {...filtering('deliveries', AT, 'change', t('list.filterFailed'))}
      hx-push-url="true"
    >
      {select('status', t('apiKey.status'), t('delivery.anyStatus'))}
      {select('event', t('delivery.event'), t('delivery.anyEvent'))}
      {select('endpoint', t('delivery.endpoint'), t('delivery.anyEndpoint'))}
      <button class="btn" data-variant="outline">
        {t('delivery.filter')}
      </button>
    </form>
  );
}
