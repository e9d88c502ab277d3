import type { EndpointNotice } from '../../../webhooks/endpoints/endpoint-notices.service';
import type { EndpointView } from '../../../webhooks/endpoints/endpoint.view';
import type { DeliverySummary } from '../../../webhooks/deliveries/deliveries.service';
import { EmptyState, Table } from '../../components/table';
import { Icon } from '../../components/icon';
import { Page } from '../../components/page';
import { Time } from '../../components/format';
import { Confirm } from '../../components/confirm';
import { FormErrors } from '../../components/fields';
import { Note } from '../../components/badge';
import type { Form } from '../../http/form';
import { EndpointNotices, WebhookTabs, WorkerNote } from './webhooks-header';
import { EndpointState, endpointStatus, shortUrl } from './endpoint-state';
import { DeliveryTable } from './delivery-table';
import { BACK_TO_WEBHOOKS } from './endpoint-form.page';
import { SigningSecret } from './signing-secret';

export const WEBHOOKS_HELP = 'We send signed requests to your URL when something happens.';

export function EndpointsPage({
  endpoints,
  notices,
  workerRunning,
}: {
  endpoints: EndpointView[];
  notices: EndpointNotice[];
  workerRunning: boolean;
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
      <WorkerNote workerRunning={workerRunning} />
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

export function EndpointPage({
  endpoint,
  deliveries,
  workerRunning,
  form,
}: {
  endpoint: EndpointView;
  /** The newest few. */
  deliveries: DeliverySummary[];
  workerRunning: boolean;
  form: Form;
}) {
  const at = `/dashboard/webhooks/${endpoint.id}`;
  return (
    <Page
      title={shortUrl(endpoint.url)}
      help="Events, deliveries and signing secret."
      back={BACK_TO_WEBHOOKS}
      action={
        <form method="post" action={`${at}/test`}>
          <button class="btn">Send test event</button>
        </form>
      }
    >
      <FormErrors form={form} />
      <WorkerNote workerRunning={workerRunning} />
      <StateNote endpoint={endpoint} at={at} />
      <Settings endpoint={endpoint} at={at} />
      <section class="section">
        <h2>Deliveries</h2>
        {deliveries.length === 0 ? (
          <p>None yet. Send a test event to see one.</p>
        ) : (
          <>
            <p>
              The newest of them.{' '}
              <a class="link" href={`/dashboard/webhooks/deliveries?endpoint=${endpoint.id}`}>
                See all of this endpoint
              </a>
            </p>
            <DeliveryTable deliveries={deliveries} />
          </>
        )}
      </section>
      <SigningSecret endpoint={endpoint} at={at} />
      <Deletion endpoint={endpoint} at={at} />
    </Page>
  );
}

/** What is wrong, and the way out of it. */
function StateNote({ endpoint, at }: { endpoint: EndpointView; at: string }) {
  const status = endpointStatus(endpoint);
  if (status === 'enabled') return null;
  if (status === 'failing')
    return (
      <Note variant="bad" title="This endpoint is failing">
        <p>
          Every attempt has failed since <Time at={endpoint.failingSince} />. After five days it is
          disabled, and its events are kept from then on. The deliveries below say what it answers.
        </p>
      </Note>
    );
  return (
    <Note variant="busy" title="This endpoint is disabled">
      <p>
        Since <Time at={endpoint.disabledAt} />. {endpoint.disabledReason} Its events are kept, and
        are sent when you enable it.
      </p>
      <form method="post" action={`${at}/enable`}>
        <button class="btn" data-variant="outline" data-size="sm">
          Enable endpoint
        </button>
      </form>
    </Note>
  );
}

function Settings({ endpoint, at }: { endpoint: EndpointView; at: string }) {
  return (
    <section class="panel" aria-label="Settings">
      <dl class="facts">
        <dt>URL</dt>
        <dd class="mono">{endpoint.url}</dd>
        <dt>State</dt>
        <dd>
          <EndpointState endpoint={{ ...endpoint, disabledReason: null }} />
        </dd>
        <dt>Events</dt>
        <dd>
          <ul class="mono">
            {endpoint.events.map((name) => (
              <li key={name}>{name}</li>
            ))}
          </ul>
        </dd>
        <dt>About</dt>
        <dd>{endpoint.allAccounts ? 'the quizzes of all accounts' : 'your own quizzes'}</dd>
        <dt>Added</dt>
        <dd>
          <Time at={endpoint.createdAt} />
        </dd>
        <dt>Endpoint id</dt>
        <dd class="mono">{endpoint.id}</dd>
      </dl>
      <div class="buttons after">
        <a class="btn" data-variant="outline" data-size="sm" href={`${at}/edit`}>
          Edit
        </a>
        {!endpoint.disabledAt && (
          <Confirm
            label="Disable"
            action={`${at}/disable`}
            question={`Disable ${shortUrl(endpoint.url)}?`}
            effect="Nothing is sent to it meanwhile. Its events are kept, and are sent when you enable it again."
            button="Disable endpoint"
          />
        )}
      </div>
    </section>
  );
}

function Deletion({ endpoint, at }: { endpoint: EndpointView; at: string }) {
  return (
    <section class="section">
      <h2>Delete</h2>
      <p>To stop for a while, disable it instead: its events are kept then.</p>
      <div class="buttons after">
        <Confirm
          label="Delete endpoint"
          action={`${at}/delete`}
          question={`Delete ${shortUrl(endpoint.url)}?`}
          effect="It receives nothing more, and pending deliveries are cancelled. You can still look at past deliveries. This cannot be undone."
          button="Delete endpoint"
        />
      </div>
    </section>
  );
}
