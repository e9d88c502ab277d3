import type { EndpointView } from '../../../webhooks/endpoints/endpoint.view';
import { Badge } from '../../components/badge';
import { Time } from '../../components/time';
import { ENDPOINT_VARIANTS, endpointStatus } from './endpoint-status.rules';

/** Enabled, failing and since when, or disabled and why. */
export function EndpointState({ endpoint }: { endpoint: EndpointView }) {
  const status = endpointStatus(endpoint);
  return (
    <>
      <Badge variant={ENDPOINT_VARIANTS[status]}>{status}</Badge>
      {status === 'failing' && (
        <span class="sub">
          since <Time at={endpoint.failingSince} />
        </span>
      )}
      {status === 'disabled' && <span class="sub wrap">{endpoint.disabledReason}</span>}
    </>
  );
}
