import { EVENT_NAMES, type EventName } from '../../../events/event-map';
import type { Messages } from '../../../platform/messages/messages';
import { translated } from '../../../platform/messages/refusals';
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
import { useMessages, usePage } from '../../http/page-context';

const AT = '/dashboard/webhooks';

/** The top of both lists of the webhook pages. */
export const headOf = ({ t }: Messages) => ({ title: t('nav.webhooks'), help: t('webhook.help') });

export const backToWebhooks = ({ t }: Messages) => ({ href: AT, label: t('nav.webhooks') });

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
  const messages = useMessages();
  const { rich, t } = messages;
  const status = endpointStatus(endpoint);
  return (
    <>
      <Badge variant={VARIANTS[status]}>{t(`webhook.state.${status}`)}</Badge>
      {status === 'failing' && (
        <span class="sub">
          {rich('webhook.began', { time: <Time at={endpoint.failingSince} /> })}
        </span>
      )}
      {status === 'disabled' && (
        <span class="sub wrap">
          {translated(endpoint.disabledReason ?? '', messages, 'notice.')}
        </span>
      )}
    </>
  );
}

/** The top of both lists: the link to the other one, and whether anything is delivered. */
export function WebhooksTop(props: { at: 'endpoints' | 'deliveries'; workerRunning: boolean }) {
  const { t } = useMessages();
  const tab = (href: string, name: typeof props.at, label: string) => ({
    href,
    label,
    current: name === props.at,
  });
  return (
    <>
      <Tabs
        label={t('nav.webhooks')}
        tabs={[
          tab(AT, 'endpoints', t('webhook.endpoints')),
          tab(`${AT}/deliveries`, 'deliveries', t('webhook.deliveries')),
        ]}
      />
      <WorkerNote workerRunning={props.workerRunning} />
    </>
  );
}

/** Warns that no worker runs; nothing if one does. */
export function WorkerNote({ workerRunning }: { workerRunning: boolean }) {
  const { rich, t } = useMessages();
  const { viewer } = usePage();
  if (workerRunning) return null;
  return (
    <Note variant="busy" title={t('webhook.noWorker')}>
      <p>
        {t('webhook.noWorkerText')}
        {viewer?.isAdmin && (
          <> {rich('webhook.startWorker', { code: (text) => <code>{text}</code> })}</>
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
  const { t } = useMessages();
  if (events.length === EVENT_NAMES.length) return <>{t('webhook.allEvents')}</>;
  const more = events.length - NAMED;
  return (
    <>
      <span class="mono">{events.slice(0, NAMED).join(', ')}</span>
      {more > 0 && <span class="sub">{t('webhook.andMore', { count: more })}</span>}
    </>
  );
}

/** @param props `endpoint` null: a new one */
export function EndpointFormPage(props: {
  endpoint: EndpointView | null;
  form: Form;
  allowLoopback: boolean;
}) {
  const { endpoint, form } = props;
  const { viewer, messages } = usePage();
  const { t } = messages;
  return (
    <FormPage
      title={t(endpoint ? 'webhook.edit' : 'webhook.add')}
      help={t(endpoint ? 'webhook.editHelp' : 'webhook.addHelp')}
      back={endpoint ? backTo(endpoint) : backToWebhooks(messages)}
      form={form}
      action={endpoint ? `${AT}/${endpoint.id}/edit` : AT}
      button={t(endpoint ? 'do.save' : 'webhook.add')}
    >
      <TextInput
        name="url"
        label="URL"
        // No type="url": our own message says more than the browser's.
        initial={endpoint?.url}
        placeholder="https://hooks.example.com/quiz-events"
        help={t(props.allowLoopback ? 'webhook.urlHelpLocal' : 'webhook.urlHelp')}
        autofocus={!endpoint}
      />
      <CheckboxList
        name="events"
        label={t('webhook.events')}
        initial={endpoint?.events}
        options={[
          {
            value: ALL_EVENTS,
            label: t('webhook.all'),
            help: t('webhook.allHelp', { count: EVENT_NAMES.length }),
          },
          ...EVENT_NAMES.map((name) => ({
            value: name,
            label: name,
            help: <Text of={translated(EVENT_TEXTS[name].description, messages, 'event.')} />,
          })),
        ]}
      />
      {viewer?.isAdmin && (
        <CheckboxList
          name="allAccounts"
          label={t('webhook.whose')}
          initial={endpoint?.allAccounts ? ['yes'] : []}
          options={[
            { value: 'yes', label: t('webhook.allAccounts'), help: t('webhook.allAccountsHelp') },
          ]}
        />
      )}
    </FormPage>
  );
}
