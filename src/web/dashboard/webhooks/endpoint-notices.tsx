import { MOST_COUNTED, type EndpointNotice } from '../../../webhooks/endpoint-notices.service';
import { count } from '../../components/labels';
import { EndpointState } from './endpoint-state';
import { endpointStatus, shortUrl } from './endpoint-status.rules';

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
