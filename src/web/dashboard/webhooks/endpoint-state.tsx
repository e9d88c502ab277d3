import { EVENT_NAMES, type EventName } from '../../../events/event-map';
import { ALL_EVENTS } from '../../../webhooks/endpoints/endpoint.rules';
import type { EndpointView } from '../../../webhooks/endpoints/endpoints.dto';
import { EVENT_TEXTS } from '../../../webhooks/events/event-descriptions';
import { CheckboxList, TextInput } from '../../components/fields';
import { Time } from '../../components/format';
import { FormPage } from '../../components/page';
import { Badge, type BadgeVariant, Note } from '../../components/section';
import { Tabs } from '../../components/table';
import { Text } from '../../docs/code';
import type { Form } from '../../http/form';
import { usePage } from '../../http/page-context';

const AT = '/dashboard/webhooks';

/** The top of both lists of the webhook pages. */
export const HEAD = {
  title: 'Webhooks',
  help: 'We send signed requests to your URL when something happens.',
};

export const BACK_TO_WEBHOOKS = { href: AT, label: 'Webhooks' };

/** Where an endpoint's nested pages lead back to. */
export const backTo = ({ id, url }: Pick<EndpointView, 'id' | 'url'>) => ({
  href: `${AT}/${id}`,
  label: shortUrl(url),
});

/** `hooks.example.com/quiz`: a URL short enough for a sentence, at most 60 characters. */
export function shortUrl(url: string): string {
  const text = url.replace(/^https?:\/\//, '').replace(/\/$/, '');
  const points = [...text];
  return points.length > 60 ? `${points.slice(0, 59).join('')}…` : text;
}

const VARIANTS = { enabled: 'good', failing: 'bad', disabled: 'neutral' } as const satisfies Record<
  string,
  BadgeVariant
>;

export function endpointStatus({ disabledAt, failingSince }: EndpointView): keyof typeof VARIANTS {
  if (disabledAt) return 'disabled';
  return failingSince ? 'failing' : 'enabled';
}

/** Enabled, failing and since when, or disabled and why. */
export function EndpointState({ endpoint }: { endpoint: EndpointView }) {
  const status = endpointStatus(endpoint);
  return (
    <>
      <Badge variant={VARIANTS[status]}>{status}</Badge>
      {status === 'failing' && (
        <span class="sub">
          began <Time at={endpoint.failingSince} />
        </span>
      )}
      {status === 'disabled' && <span class="sub wrap">{endpoint.disabledReason}</span>}
    </>
  );
}

/** The top of both lists: the link to the other one, and whether anything is delivered. */
export function WebhooksTop(props: { at: 'Endpoints' | 'Deliveries'; workerRunning: boolean }) {
  const tab = (href: string, label: string) => ({ href, label, current: label === props.at });
  return (
    <>
      <Tabs label="Webhooks" tabs={[tab(AT, 'Endpoints'), tab(`${AT}/deliveries`, 'Deliveries')]} />
      <WorkerNote workerRunning={props.workerRunning} />
    </>
  );
}

/** Warns that no worker runs; nothing if one does. */
export function WorkerNote({ workerRunning }: { workerRunning: boolean }) {
  const { viewer } = usePage();
  if (workerRunning) return null;
  return (
    <Note variant="busy" title="Nothing is being delivered at the moment">
      <p>
        No webhook worker is running. Events are kept, and are sent as soon as one runs.
        {viewer?.isAdmin && (
          <>
            {' '}
            <code>npm run start:worker</code> starts one.
          </>
        )}
      </p>
    </Note>
  );
}

export function EventList({ events }: { events: EventName[] }) {
  return (
    <ul class="mono">
      {events.map((name) => (
        <li>{name}</li>
      ))}
    </ul>
  );
}

/** How many names fit into a row of the table. */
const NAMED = 2;

/** For a table: all, or the first names and how many more. The endpoint's own page lists them. */
export function EventSummary({ events }: { events: EventName[] }) {
  if (events.length === EVENT_NAMES.length) return <>all events</>;
  const more = events.length - NAMED;
  return (
    <>
      <span class="mono">{events.slice(0, NAMED).join(', ')}</span>
      {more > 0 && <span class="sub">{`and ${more} more`}</span>}
    </>
  );
}

const ALL = {
  value: ALL_EVENTS,
  label: 'All events',
  help: `All ${EVENT_NAMES.length} types below. Types that are added later are not included.`,
};

const ALL_ACCOUNTS = {
  value: 'yes',
  label: 'Of all accounts',
  help: 'For administrators. Otherwise it receives those of your own quizzes.',
};

/** @param props `endpoint` null: a new one */
export function EndpointFormPage(props: {
  endpoint: EndpointView | null;
  form: Form;
  allowLoopback: boolean;
}) {
  const { endpoint, form } = props;
  const { viewer } = usePage();
  return (
    <FormPage
      title={endpoint ? 'Edit endpoint' : 'Add endpoint'}
      help={
        endpoint
          ? 'The new URL is used for all future attempts, including retries of past events.'
          : 'It receives the events that happen from then on.'
      }
      back={endpoint ? backTo(endpoint) : BACK_TO_WEBHOOKS}
      form={form}
      action={endpoint ? `${AT}/${endpoint.id}/edit` : AT}
      button={endpoint ? 'Save' : 'Add endpoint'}
    >
      <TextInput
        name="url"
        label="URL"
        // No type="url": our own message says more than the browser's.
        initial={endpoint?.url}
        placeholder="https://hooks.example.com/quiz-events"
        help={
          props.allowLoopback
            ? 'A public https URL or, in development, http://localhost with any port. We send every event as a POST request.'
            : 'A public https URL. We send every event as a POST request.'
        }
        autofocus={!endpoint}
      />
      <CheckboxList
        name="events"
        label="Events"
        initial={endpoint?.events}
        options={[
          ALL,
          ...EVENT_NAMES.map((name) => ({
            value: name,
            label: name,
            help: <Text of={EVENT_TEXTS[name].description} />,
          })),
        ]}
      />
      {viewer?.isAdmin && (
        <CheckboxList
          name="allAccounts"
          label="Whose events"
          initial={endpoint?.allAccounts ? ['yes'] : []}
          options={[ALL_ACCOUNTS]}
        />
      )}
    </FormPage>
  );
}
