import {
  MOST_COUNTED,
  type EndpointNotice,
} from '../../../webhooks/endpoints/endpoint-notices.service';
import { Note } from '../../components/badge';
import { usePage } from '../../http/page-context';
import { count } from '../../components/format';
import { EndpointState, endpointStatus, shortUrl } from './endpoint-state';

const TABS = [
  { href: '/dashboard/webhooks', label: 'Endpoints' },
  { href: '/dashboard/webhooks/deliveries', label: 'Deliveries' },
];

/** The two lists of the webhook screens. */
export function WebhookTabs({ at }: { at: 'Endpoints' | 'Deliveries' }) {
  return (
    <nav class="tabs" aria-label="Webhooks">
      {TABS.map(({ href, label }) => (
        <a key={href} href={href} aria-current={label === at ? 'page' : undefined}>
          {label}
        </a>
      ))}
    </nav>
  );
}

/** Says so where nobody delivers; nothing while all is well. */
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

/** The endpoints that need their owner, until that is resolved or dismissed; nothing while all is well. */
export function EndpointNotices({
  notices,
  at,
}: {
  notices: EndpointNotice[];
  /** Where a dismissal leads back to. */
  at: 'overview' | 'webhooks';
}) {
  if (notices.length === 0) return null;
  return (
    <section class="panel trouble" aria-labelledby="notices">
      <h2 id="notices">Webhook endpoints that need your attention</h2>
      <p>
        The deliveries show what went wrong. Retry the failed ones once your endpoint works again.
      </p>
      <ul>
        {notices.map((notice) => (
          <Notice key={notice.endpoint.id} notice={notice} at={at} />
        ))}
      </ul>
    </section>
  );
}

function Notice({ notice: { endpoint, failed }, at }: { notice: EndpointNotice; at: string }) {
  const href = `/dashboard/webhooks/${endpoint.id}`;
  return (
    <li>
      <div>
        <a class="link clip wide" href={href} title={endpoint.url}>
          {endpoint.url}
        </a>
        <p>
          {endpointStatus(endpoint) !== 'enabled' && <EndpointState endpoint={endpoint} />}
          {failed > 0 && (
            <a
              class="link"
              href={`/dashboard/webhooks/deliveries?endpoint=${endpoint.id}&status=failed`}
            >
              {failed > MOST_COUNTED && 'More than '}
              {count(Math.min(failed, MOST_COUNTED), 'failed delivery', 'failed deliveries')}
            </a>
          )}
        </p>
      </div>
      <form method="post" action={`${href}/dismiss`}>
        <input type="hidden" name="at" value={at} />
        <button
          class="btn"
          data-variant="outline"
          data-size="sm"
          aria-label={`Dismiss the notice about ${shortUrl(endpoint.url)}`}
        >
          Dismiss
        </button>
      </form>
    </li>
  );
}
