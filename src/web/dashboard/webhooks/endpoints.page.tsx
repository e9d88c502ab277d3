import type { EndpointNotice } from '../../../webhooks/endpoint-notices.service';
import type { EndpointView } from '../../../webhooks/endpoints/endpoint.view';
import { EmptyState } from '../../components/empty-state';
import { Icon } from '../../components/icon';
import { Page } from '../../components/page';
import { Table } from '../../components/table';
import { Time } from '../../components/time';
import { EndpointNotices } from './endpoint-notices';
import { EndpointState } from './endpoint-state';
import { WebhookTabs } from './tabs';
import { WorkerNote } from './worker-note';

export const WEBHOOKS_HELP =
  'Your application is told what happens, by signed requests to an address of yours.';

export function EndpointsPage({
  endpoints,
  notices,
  delivering,
}: {
  endpoints: EndpointView[];
  notices: EndpointNotice[];
  delivering: boolean;
}) {
  return (
    <Page
      title="Webhooks"
      help={WEBHOOKS_HELP}
      action={
        <a class="btn" href="/dashboard/webhooks/new">
          <Icon name="plus" /> Add endpoint
        </a>
      }
    >
      <WebhookTabs at="Endpoints" />
      <WorkerNote delivering={delivering} />
      <EndpointNotices notices={notices} at="webhooks" />
      {endpoints.length === 0 ? (
        <EmptyState title="No endpoints yet">
          <p>Add the address of your application, and choose what it is told.</p>
          <a class="btn" data-variant="outline" href="/dashboard/webhooks/new">
            Add an endpoint
          </a>
        </EmptyState>
      ) : (
        <EndpointTable endpoints={endpoints} />
      )}
    </Page>
  );
}

function EndpointTable({ endpoints }: { endpoints: EndpointView[] }) {
  return (
    <Table
      label="Endpoints"
      rows={endpoints}
      rowKey={({ id }) => id}
      columns={[
        {
          title: 'URL',
          cell: ({ id, url, allAccounts }) => (
            <>
              <a class="link clip wide" href={`/dashboard/webhooks/${id}`} title={url}>
                {url}
              </a>
              {allAccounts && <span class="sub">of all accounts</span>}
            </>
          ),
        },
        {
          title: 'State',
          cell: (endpoint) => (
            <div>
              <EndpointState endpoint={endpoint} />
            </div>
          ),
        },
        {
          title: 'Events',
          cell: ({ events }) => (
            <ul class="mono">
              {events.map((name) => (
                <li key={name}>{name}</li>
              ))}
            </ul>
          ),
        },
        { title: 'Added', cell: ({ createdAt }) => <Time at={createdAt} /> },
      ]}
    />
  );
}
