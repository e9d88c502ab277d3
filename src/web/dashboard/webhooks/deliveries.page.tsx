import { EVENT_NAMES } from '../../../events/event-map';
import type { DeliverySummary } from '../../../webhooks/deliveries/deliveries.service';
import type { EndpointNotice } from '../../../webhooks/endpoints/endpoint-notices.service';
import type { EndpointView } from '../../../webhooks/endpoints/endpoint.view';
import { EmptyState } from '../../components/table';
import { Page } from '../../components/page';
import { FormErrors, SelectField, TextField } from '../../components/fields';
import type { Form } from '../../http/form';
import { DELIVERY_STATUSES, type DeliveryStatus, TEST_EVENT } from './delivery-labels';
import { DeliveryTable } from './delivery-table';
import { EndpointNotices, WebhookTabs, WorkerNote } from './webhooks-header';
import { shortUrl } from './endpoint-state';
import { WEBHOOKS_HELP } from './endpoints.page';

const HERE = '/dashboard/webhooks/deliveries';

/** What the list is filter to; undefined where it is not. */
export interface DeliveryFilter {
  status?: DeliveryStatus;
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
  notices,
  workerRunning,
}: {
  deliveries: DeliverySummary[];
  /** There are older ones. */
  more: boolean;
  filter: DeliveryFilter;
  endpoints: EndpointView[];
  notices: EndpointNotice[];
  workerRunning: boolean;
}) {
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const none = deliveries.length === 0 && !isFiltered;
  return (
    <Page
      title="Webhooks"
      help={WEBHOOKS_HELP}
      action={
        !none && (
          <a class="btn" data-variant="outline" href={`${HERE}/retry`}>
            Retry failed
          </a>
        )
      }
    >
      <WebhookTabs at="Deliveries" />
      <WorkerNote workerRunning={workerRunning} />
      <EndpointNotices notices={notices} at="webhooks" />
      {!none && <Filters filter={filter} endpoints={endpoints} />}
      <div id="deliveries">
        {deliveries.length > 0 ? (
          <DeliveryTable deliveries={deliveries} withEndpoint />
        ) : none ? (
          <NoDeliveries endpoints={endpoints} />
        ) : (
          <EmptyState title="No such deliveries">
            <a class="btn" data-variant="outline" href={HERE}>
              Show all
            </a>
          </EmptyState>
        )}
        <Pages filter={filter} last={more ? deliveries.at(-1)?.id : undefined} />
      </div>
    </Page>
  );
}

function NoDeliveries({ endpoints }: { endpoints: EndpointView[] }) {
  return (
    <EmptyState title="No deliveries yet">
      <p>
        They appear here when something happens that an endpoint is told of, and when you send it a
        test event.
      </p>
      {endpoints.length > 0 ? (
        <a class="btn" data-variant="outline" href="/dashboard/webhooks">
          To your endpoints
        </a>
      ) : (
        <a class="btn" data-variant="outline" href="/dashboard/webhooks/new">
          Add an endpoint
        </a>
      )}
    </EmptyState>
  );
}

/** With a script the list follows each choice; without one, the button does it. */
function Filters({ filter, endpoints }: { filter: DeliveryFilter; endpoints: EndpointView[] }) {
  const { status, event, endpointId } = filter;
  return (
    <form
      class="toolbar"
      role="search"
      aria-label="Deliveries"
      method="get"
      action={HERE}
      hx-get={HERE}
      hx-trigger="change"
      hx-target="#deliveries"
      hx-select="#deliveries"
      hx-swap="outerHTML"
      hx-push-url="true"
    >
      <Choice
        name="status"
        label="Status"
        all="Any status"
        chosen={status}
        options={DELIVERY_STATUSES.map((value) => ({ value, label: value }))}
      />
      <Choice
        name="event"
        label="Event"
        all="Any event"
        chosen={event}
        options={[...EVENT_NAMES, TEST_EVENT].map((value) => ({ value, label: value }))}
      />
      <Choice
        name="endpoint"
        label="Endpoint"
        all="Any endpoint"
        chosen={endpointId}
        options={endpoints.map(({ id, url }) => ({ value: id, label: shortUrl(url) }))}
      />
      <button class="btn" data-variant="outline">
        Filter
      </button>
    </form>
  );
}

function Choice({
  name,
  label,
  all,
  chosen = '',
  options,
}: {
  name: string;
  label: string;
  all: string;
  chosen?: string;
  options: { value: string; label: string }[];
}) {
  return (
    <select class="select" name={name} aria-label={label}>
      <option value="">{all}</option>
      {options.map((option) => (
        <option key={option.value} value={option.value} selected={option.value === chosen}>
          {option.label}
        </option>
      ))}
    </select>
  );
}

function Pages({ filter, last }: { filter: DeliveryFilter; last?: string }) {
  const { status = '', event = '', endpointId = '', before } = filter;
  const href = (from: string) =>
    `${HERE}?${new URLSearchParams({ status, event, endpoint: endpointId, before: from }).toString()}`;
  if (before === undefined && last === undefined) return null;
  return (
    <nav class="pages" aria-label="Pages">
      <span>The newest first</span>
      <div>
        {before !== undefined && (
          <a class="btn" data-variant="outline" data-size="sm" href={href('')}>
            Newest
          </a>
        )}
        {last !== undefined && (
          <a class="btn" data-variant="outline" data-size="sm" href={href(last)}>
            Older
          </a>
        )}
      </div>
    </nav>
  );
}

export function RetryFailedPage({
  form,
  since,
  endpoints,
}: {
  form: Form;
  /** What is proposed. */
  since: Date;
  endpoints: EndpointView[];
}) {
  return (
    <Page
      title="Retry failed deliveries"
      help="Use this after an outage: every failed delivery is sent again."
      back={{ href: '/dashboard/webhooks/deliveries', label: 'Deliveries' }}
    >
      <form method="post" action="/dashboard/webhooks/deliveries/retry" class="form">
        <FormErrors form={form} />
        <TextField
          form={form}
          name="since"
          label="Failed since (UTC)"
          type="datetime-local"
          initial={since.toISOString().slice(0, 16)}
          required
          help="Test events are left out, and so is what was delivered meanwhile."
        />
        <SelectField
          form={form}
          name="endpoint"
          label="Endpoint"
          options={[
            { value: '', label: 'All that are enabled' },
            ...endpoints
              .filter(({ disabledAt }) => !disabledAt)
              .map(({ id, url }) => ({ value: id, label: shortUrl(url) })),
          ]}
        />
        <div class="buttons">
          <button class="btn">Retry</button>
          <a class="btn" data-variant="ghost" href="/dashboard/webhooks/deliveries">
            Cancel
          </a>
        </div>
      </form>
    </Page>
  );
}
