import type { EndpointView } from '../../../webhooks/endpoints/endpoint.view';
import { type BadgeVariant, Badge } from '../../components/badge';
import { Time } from '../../components/format';

export type EndpointStatus = 'enabled' | 'failing' | 'disabled';

export function endpointStatus(endpoint: {
  disabledAt: Date | null;
  failingSince: Date | null;
}): EndpointStatus {
  if (endpoint.disabledAt) return 'disabled';
  return endpoint.failingSince ? 'failing' : 'enabled';
}

const ENDPOINT_VARIANTS: Record<EndpointStatus, BadgeVariant> = {
  enabled: 'good',
  failing: 'bad',
  disabled: 'neutral',
};

/** `hooks.example.com/quiz`: an address as a sentence can bear it, at most 60 characters. */
export function shortUrl(url: string): string {
  const text = url.replace(/^https?:\/\//, '').replace(/\/$/, '');
  const points = [...text];
  return points.length > 60 ? `${points.slice(0, 59).join('')}…` : text;
}

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
