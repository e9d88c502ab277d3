import { DISABLED_BY_OWNER, type EndpointView } from '../../webhooks/endpoint.view';
import { EndpointState } from './endpoint-state';

/** Those whose owner has something to mend: what the owner has disabled is no news. */
export const inTrouble = (endpoints: EndpointView[]): EndpointView[] =>
  endpoints.filter(({ disabledAt, disabledReason, failingSince }) =>
    disabledAt ? disabledReason !== DISABLED_BY_OWNER : failingSince !== null,
  );

/** For the overview; nothing while all is well. */
export function FailingEndpoints({ endpoints }: { endpoints: EndpointView[] }) {
  const failing = inTrouble(endpoints);
  if (failing.length === 0) return null;
  return (
    <section class="panel trouble" aria-labelledby="failing">
      <h2 id="failing">Webhook endpoints that need you</h2>
      <p>Their deliveries say what is wrong. What has failed can be retried once it is mended.</p>
      <ul>
        {failing.map((endpoint) => (
          <li key={endpoint.id}>
            <a
              class="link clip wide"
              href={`/dashboard/webhooks/${endpoint.id}`}
              title={endpoint.url}
            >
              {endpoint.url}
            </a>
            <span>
              <EndpointState endpoint={endpoint} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
