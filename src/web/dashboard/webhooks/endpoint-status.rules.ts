import type { BadgeVariant } from '../../components/badge-variant';

export type EndpointStatus = 'enabled' | 'failing' | 'disabled';

export function endpointStatus(endpoint: {
  disabledAt: Date | null;
  failingSince: Date | null;
}): EndpointStatus {
  if (endpoint.disabledAt) return 'disabled';
  return endpoint.failingSince ? 'failing' : 'enabled';
}

export const ENDPOINT_VARIANTS: Record<EndpointStatus, BadgeVariant> = {
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
