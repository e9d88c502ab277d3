import { translated } from '../../../platform/messages/refusals';
import type { DeliverySummary } from '../../../webhooks/deliveries/deliveries.dto';
import type { EndpointView } from '../../../webhooks/endpoints/endpoints.dto';
import { Confirm, LinkButton, PostButton } from '../../components/button';
import { Link, Time } from '../../components/format';
import { Page } from '../../components/page';
import { Facts, Note, Panel, Section } from '../../components/section';
import type { Form } from '../../http/form';
import { useMessages } from '../../http/page-context';
import { DeliveryTable } from './delivery-state';
import {
  backToWebhooks,
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
  const messages = useMessages();
  const { rich, t } = messages;
  return (
    <Page
      title={url}
      help={t('webhook.endpointHelp')}
      back={backToWebhooks(messages)}
      action={<PostButton look="primary" action={`${at}/test`} text={t('webhook.test')} />}
      form={form}
    >
      <WorkerNote workerRunning={workerRunning} />
      <StateNote endpoint={endpoint} at={at} />
      <Settings endpoint={endpoint} at={at} />
      <Section
        title={t('webhook.deliveries')}
        help={
          deliveries.length === 0
            ? t('webhook.noDeliveries')
            : rich('webhook.newestDeliveries', {
                link: (text) => (
                  <Link to={`/dashboard/webhooks/deliveries?endpoint=${endpoint.id}`}>{text}</Link>
                ),
              })
        }
      >
        <DeliveryTable deliveries={deliveries} endpoint={false} />
      </Section>
      <SigningSecret endpoint={endpoint} at={at} />
      <Section title={t('do.delete')} help={t('webhook.deleteHelp')}>
        <div class="buttons after">
          <Confirm
            label={t('webhook.delete')}
            action={`${at}/delete`}
            question={t('webhook.deleteIt', { url })}
            effect={t('webhook.deleteEffect')}
          />
        </div>
      </Section>
    </Page>
  );
}

/** The problem, and how to fix it. */
function StateNote({ endpoint, at }: { endpoint: EndpointView; at: string }) {
  const messages = useMessages();
  const { rich, t } = messages;
  const status = endpointStatus(endpoint);
  if (status === 'enabled') return null;
  if (status === 'failing')
    return (
      <Note variant="bad" title={t('webhook.failing')}>
        <p>{rich('webhook.failingText', { time: <Time at={endpoint.failingSince} /> })}</p>
      </Note>
    );
  return (
    <Note variant="busy" title={t('webhook.disabled')}>
      <p>
        {rich('webhook.disabledText', {
          time: <Time at={endpoint.disabledAt} />,
          reason: translated(endpoint.disabledReason ?? '', messages, 'notice.'),
        })}
      </p>
      <PostButton action={`${at}/enable`} text={t('webhook.enable')} />
    </Note>
  );
}

function Settings({ endpoint, at }: { endpoint: EndpointView; at: string }) {
  const { t } = useMessages();
  const url = shortUrl(endpoint.url);
  return (
    <Panel label={t('editor.settings')}>
      <Facts
        rows={[
          ['URL', <span class="mono">{endpoint.url}</span>],
          [t('list.state'), <EndpointState endpoint={{ ...endpoint, disabledReason: null }} />],
          [t('webhook.events'), <EventList events={endpoint.events} />],
          [t('webhook.scope'), t(endpoint.allAccounts ? 'webhook.scopeAll' : 'webhook.scopeOwn')],
          [t('webhook.added'), <Time at={endpoint.createdAt} />],
          [t('webhook.id'), <span class="mono">{endpoint.id}</span>],
        ]}
      />
      <div class="buttons after">
        <LinkButton href={`${at}/edit`} text={t('do.edit')} />
        {!endpoint.disabledAt && (
          <Confirm
            label={t('webhook.disable')}
            action={`${at}/disable`}
            question={t('webhook.disableIt', { url })}
            effect={t('webhook.disableEffect')}
            button={t('webhook.disableButton')}
          />
        )}
      </div>
    </Panel>
  );
}
