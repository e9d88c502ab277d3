import type { EndpointView } from '../../../webhooks/endpoints/endpoint.view';
import { Pill } from '../../components/badge';
import { Time } from '../../components/time';
import { ENDPOINT_TONES, endpointStatus } from './endpoint-status.rules';

/** Enabled, failing and since when, or disabled and why. */
export function EndpointState({ endpoint }: { endpoint: EndpointView }) {
  const status = endpointStatus(endpoint);
  return (
    <>
      <Pill tone={ENDPOINT_TONES[status]}>{status}</Pill>
      {status === 'failing' && (
        <span class="sub">
          since <Time at={endpoint.failingSince} />
        </span>
      )}
      {status === 'disabled' && <span class="sub wrap">{endpoint.disabledReason}</span>}
    </>
  );
}
