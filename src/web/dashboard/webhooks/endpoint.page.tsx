import type { DeliverySummary } from '../../../webhooks/deliveries/deliveries.dto';
import type { EndpointView } from '../../../webhooks/endpoints/endpoints.dto';
import { Confirm, LinkButton, PostButton } from '../../components/button';
import { Link, Time } from '../../components/format';
import { Page } from '../../components/page';
import { Facts, Note, Panel, Section } from '../../components/section';
import type { Form } from '../../http/form';
import { DeliveryTable } from './delivery-state';
import {
  BACK_TO_WEBHOOKS,
  EndpointState,
  endpointStatus,
  EventList,
  shortUrl,
  WorkerNote,
} from './endpoint-state';
import { SigningSecret } from './signing-secret';

/** @param deliveries the newest few */
export function EndpointPage({
  endpoint,
  deliveries,
  workerRunning,
  form,
}: {
  endpoint: EndpointView;
  deliveries: DeliverySummary[];
  workerRunning: boolean;
  form: Form;
}) {
  const at = `/dashboard/webhooks/${endpoint.id}`;
  const url = shortUrl(endpoint.url);
  return (
    <Page
      title={url}
      help="Events, deliveries and signing secret."
      back={BACK_TO_WEBHOOKS}
      action={<PostButton look="primary" action={`${at}/test`} text="Send test event" />}
      form={form}
    >
      <WorkerNote workerRunning={workerRunning} />
      <StateNote endpoint={endpoint} at={at} />
      <Settings endpoint={endpoint} at={at} />
      <Section
        title="Deliveries"
        help={
          deliveries.length === 0 ? (
            'None yet. Send a test event to see one.'
          ) : (
            <>
              The newest of them.{' '}
              <Link to={`/dashboard/webhooks/deliveries?endpoint=${endpoint.id}`}>
                See all deliveries to this endpoint
              </Link>
            </>
          )
        }
      >
        <DeliveryTable deliveries={deliveries} endpoint={false} />
      </Section>
      <SigningSecret endpoint={endpoint} at={at} />
      <Section
        title="Delete"
        help="To stop for a while, disable it instead: its events are kept then."
      >
        <div class="buttons after">
          <Confirm
            label="Delete endpoint"
            action={`${at}/delete`}
            question={`Delete ${url}?`}
            effect="It receives nothing more, and pending deliveries are cancelled. You can still look at past deliveries. This cannot be undone."
          />
        </div>
      </Section>
    </Page>
  );
}

/** The problem, and how to fix it. */
function StateNote({ endpoint, at }: { endpoint: EndpointView; at: string }) {
  const status = endpointStatus(endpoint);
  if (status === 'enabled') return null;
  if (status === 'failing')
    return (
      <Note variant="bad" title="This endpoint is failing">
        <p>
          No attempt has succeeded since the failures began <Time at={endpoint.failingSince} />.
          After five days the endpoint is disabled, and its events are kept from then on. The
          deliveries below show its responses.
        </p>
      </Note>
    );
  return (
    <Note variant="busy" title="This endpoint is disabled">
      <p>
        Disabled <Time at={endpoint.disabledAt} />. {endpoint.disabledReason} Its events are kept,
        and are sent when you enable it.
      </p>
      <PostButton action={`${at}/enable`} text="Enable endpoint" />
    </Note>
  );
}

function Settings({ endpoint, at }: { endpoint: EndpointView; at: string }) {
  return (
    <Panel label="Settings">
      <Facts
        of={{
          URL: <span class="mono">{endpoint.url}</span>,
          State: <EndpointState endpoint={{ ...endpoint, disabledReason: null }} />,
          Events: <EventList events={endpoint.events} />,
          Scope: endpoint.allAccounts ? 'the quizzes of all accounts' : 'your own quizzes',
          Added: <Time at={endpoint.createdAt} />,
          'Endpoint id': <span class="mono">{endpoint.id}</span>,
        }}
      />
      <div class="buttons after">
        <LinkButton href={`${at}/edit`} text="Edit" />
        {!endpoint.disabledAt && (
          <Confirm
            label="Disable"
            action={`${at}/disable`}
            question={`Disable ${shortUrl(endpoint.url)}?`}
            effect="Nothing is sent to it while it is disabled. Its events are kept, and are sent when you enable it again."
            button="Disable endpoint"
          />
        )}
      </div>
    </Panel>
  );
}
