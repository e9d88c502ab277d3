import type { BadgeVariant } from '../../components/badge-variant';

export type KeyStatus = 'active' | 'ends soon' | 'expired' | 'revoked';

/** A key that ends within this time says so. */
const SOON = 7 * 24 * 3_600_000;

export function keyStatus(
  key: { revokedAt: Date | null; expiresAt: Date | null },
  now: Date,
): KeyStatus {
  if (key.revokedAt) return 'revoked';
  if (!key.expiresAt) return 'active';
  if (key.expiresAt <= now) return 'expired';
  return key.expiresAt.getTime() - now.getTime() <= SOON ? 'ends soon' : 'active';
}

export const STATUS_VARIANTS: Record<KeyStatus, BadgeVariant> = {
  active: 'good',
  'ends soon': 'busy',
  expired: 'neutral',
  revoked: 'neutral',
};
