import {
  MOST_COUNTED,
  type EndpointNotice,
} from '../../../webhooks/endpoints/endpoint-notices.service';
import type { EndpointView } from '../../../webhooks/endpoints/endpoint.entity';
import { PostButton } from '../../components/button';
import { Clip, count, Link, Time } from '../../components/format';
import { Badge, Note, Panel, type BadgeVariant } from '../../components/section';
import { Tabs } from '../../components/table';
import { usePage } from '../../http/page-context';

const AT = '/dashboard/webhooks';

/** What both lists of the webhook pages begin with. */
export const HEAD = {
  title: 'Webhooks',
  help: 'We send signed requests to your URL when something happens.',
};

/** Where an endpoint's own pages lead back to. */
export const backTo = ({ id, url }: Pick<EndpointView, 'id' | 'url'>) => ({
  href: `${AT}/${id}`,
  label: shortUrl(url),
});

/** `hooks.example.com/quiz`: a URL that fits into a sentence, at most 60 characters. */
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
          since <Time at={endpoint.failingSince} />
        </span>
      )}
      {status === 'disabled' && <span class="sub wrap">{endpoint.disabledReason}</span>}
    </>
  );
}

/** What stands above both lists: the way to the other one, and what needs attention. */
export function WebhooksTop(of: {
  at: 'Endpoints' | 'Deliveries';
  workerRunning: boolean;
  notices: EndpointNotice[];
}) {
  const tab = (href: string, label: string) => ({ href, label, current: label === of.at });
  return (
    <>
      <Tabs label="Webhooks" tabs={[tab(AT, 'Endpoints'), tab(`${AT}/deliveries`, 'Deliveries')]} />
      <WorkerNote workerRunning={of.workerRunning} />
      <EndpointNotices notices={of.notices} at="webhooks" />
    </>
  );
}

/** Says that no worker runs; nothing while one does. */
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

const TROUBLE = 'Webhook endpoints that need your attention';

/**
 * The endpoints that need their owner, until that is resolved or dismissed; nothing while all is well.
 * @param of `at`: where a dismissal leads back to
 */
export function EndpointNotices(of: { notices: EndpointNotice[]; at: 'overview' | 'webhooks' }) {
  if (of.notices.length === 0) return null;
  return (
    <Panel
      class="trouble"
      title={TROUBLE}
      label={TROUBLE}
      help="The deliveries show what went wrong. Retry the failed ones once your endpoint works again."
    >
      <ul>
        {of.notices.map(({ endpoint, failed }) => (
          <li>
            <div>
              <Clip wide href={`${AT}/${endpoint.id}`} text={endpoint.url} />
              <p>
                {endpointStatus(endpoint) !== 'enabled' && <EndpointState endpoint={endpoint} />}
                {failed > 0 && (
                  <Link to={`${AT}/deliveries?endpoint=${endpoint.id}&status=failed`}>
                    {failed > MOST_COUNTED && 'More than '}
                    {count(Math.min(failed, MOST_COUNTED), 'failed delivery', 'failed deliveries')}
                  </Link>
                )}
              </p>
            </div>
            <PostButton
              action={`${AT}/${endpoint.id}/dismiss`}
              fields={{ at: of.at }}
              label={`Dismiss the notice about ${shortUrl(endpoint.url)}`}
              text="Dismiss"
            />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
