import { EVENT_NAMES } from '../../../events/event-map';
import type { DeliverySummary } from '../../../webhooks/deliveries/deliveries.service';
import type { EndpointNotice } from '../../../webhooks/endpoints/endpoint-notices.service';
import type { EndpointView } from '../../../webhooks/endpoints/endpoint.entity';
import { LinkButton } from '../../components/button';
import { Select, SelectField, TextField, type Option } from '../../components/fields';
import { FormPage, Page } from '../../components/page';
import { EmptyState, NewestFirst } from '../../components/table';
import type { Form } from '../../http/form';
import { DELIVERY_STATUSES, DeliveryTable, TEST_EVENT } from './delivery-state';
import { HEAD, shortUrl, WebhooksTop } from './endpoint-state';

const AT = '/dashboard/webhooks/deliveries';

/** What the list is filtered by; undefined where it is not. */
export interface DeliveryFilter {
  status?: DeliverySummary['status'];
  event?: string;
  endpointId?: string;
  /** The last delivery of the page before. */
  before?: string;
}

export function DeliveriesPage({
  deliveries,
  more,
  filter,
  endpoints,
  ...top
}: {
  deliveries: DeliverySummary[];
  /** There are older ones. */
  more: boolean;
  filter: DeliveryFilter;
  endpoints: EndpointView[];
  notices: EndpointNotice[];
  workerRunning: boolean;
}) {
  const { status = '', event = '', endpointId: endpoint = '', before } = filter;
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const none = deliveries.length === 0 && !isFiltered;
  const href = (from = '') =>
    `${AT}?${new URLSearchParams({ status, event, endpoint, before: from }).toString()}`;
  return (
    <Page
      {...HEAD}
      action={!none && <LinkButton look="outline" href={`${AT}/retry`} text="Retry failed" />}
    >
      <WebhooksTop at="Deliveries" {...top} />
      {!none && <Filters filter={filter} endpoints={endpoints} />}
      <div id="deliveries">
        {deliveries.length > 0 ? (
          <DeliveryTable deliveries={deliveries} endpoint />
        ) : none ? (
          <NoDeliveries hasEndpoints={endpoints.length > 0} />
        ) : (
          <EmptyState title="No such deliveries">
            <LinkButton look="outline" href={AT} text="Show all" />
          </EmptyState>
        )}
        <NewestFirst
          newest={before === undefined ? undefined : href()}
          older={more ? href(deliveries.at(-1)?.id) : undefined}
        />
      </div>
    </Page>
  );
}

function NoDeliveries({ hasEndpoints }: { hasEndpoints: boolean }) {
  return (
    <EmptyState title="No deliveries yet">
      <p>
        They appear here when something happens that an endpoint is told of, and when you send it a
        test event.
      </p>
      <LinkButton
        look="outline"
        href={hasEndpoints ? '/dashboard/webhooks' : '/dashboard/webhooks/new'}
        text={hasEndpoints ? 'To your endpoints' : 'Add an endpoint'}
      />
    </EmptyState>
  );
}

const same = (value: string): Option => ({ value, label: value });
const short = ({ id, url }: EndpointView): Option => ({ value: id, label: shortUrl(url) });

/** With a script the list follows each choice; without one, the button does it. */
function Filters({ filter, endpoints }: { filter: DeliveryFilter; endpoints: EndpointView[] }) {
  const choice = (label: string, all: string, chosen: string | undefined, options: Option[]) => (
    <Select
      name={label.toLowerCase()}
      aria-label={label}
      chosen={chosen}
      options={[{ value: '', label: all }, ...options]}
    />
  );
  return (
    <form
      class="toolbar"
      role="search"
      aria-label="Deliveries"
      method="get"
      action={AT}
      hx-get={AT}
      hx-trigger="change"
      hx-target="#deliveries"
      hx-select="#deliveries"
      hx-swap="outerHTML"
      hx-push-url="true"
    >
      {choice('Status', 'Any status', filter.status, DELIVERY_STATUSES.map(same))}
      {choice('Event', 'Any event', filter.event, [...EVENT_NAMES, TEST_EVENT].map(same))}
      {choice('Endpoint', 'Any endpoint', filter.endpointId, endpoints.map(short))}
      <button class="btn" data-variant="outline">
        Filter
      </button>
    </form>
  );
}

/** @param of `since`: what is proposed */
export function RetryFailedPage(of: { form: Form; since: Date; endpoints: EndpointView[] }) {
  const enabled = of.endpoints.filter(({ disabledAt }) => !disabledAt);
  return (
    <FormPage
      title="Retry failed deliveries"
      help="Use this after an outage: every failed delivery is sent again."
      back={{ href: AT, label: 'Deliveries' }}
      form={of.form}
      action={`${AT}/retry`}
      button="Retry"
    >
      <TextField
        name="since"
        label="Failed since (UTC)"
        type="datetime-local"
        initial={of.since.toISOString().slice(0, 16)}
        required
        help="Test events are left out, and so is what was delivered meanwhile."
      />
      <SelectField
        name="endpoint"
        label="Endpoint"
        options={[{ value: '', label: 'All that are enabled' }, ...enabled.map(short)]}
      />
    </FormPage>
  );
}
