import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Scope } from '../accounts/scope.rules';

/** An API key as it is stored: its SHA-256, never the key. */
@Entity('api_keys')
export class ApiKey {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  @Column('text')
  name!: string;

  /** SHA-256 of the whole key. Queries compare it. */
  @Column('bytea', { select: false })
  hash?: Buffer;

  /** `svc_live_` or `svc_test_`. */
  @Column('text')
  prefix!: string;

  @Column('text', { name: 'last_four' })
  lastFour!: string;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt!: Date | null;

  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt!: Date | null;

  /** When another key replaced it; it may work for a while after that. */
  @Column('timestamptz', { name: 'rotated_at', nullable: true })
  rotatedAt!: Date | null;

  @Column('timestamptz', { name: 'last_used_at', nullable: true })
  lastUsedAt!: Date | null;

  @Column('text', { array: true })
  scopes!: Scope[];

  /** Web origins whose pages may use it; none: any. */
  @Column('text', { array: true })
  origins!: string[];

  /** The key's own rate limit, in requests a minute; null: its requests count by client address. */
  @Column('integer', { name: 'requests_per_minute', nullable: true })
  requestsPerMinute!: number | null;
}
