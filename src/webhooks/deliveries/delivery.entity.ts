import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { AttemptErrorCode } from './attempt-outcome';
import type { AttemptKind, DeliveryStatus } from './delivery.rules';

/**
 * An event on its way to an endpoint (specification, part 6). Its attempts change it in SQL
 * (`../sending/delivery-attempt.queries.ts`).
 */
@Entity('webhook_deliveries')
export class WebhookDelivery {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'event_id' })
  eventId!: string;

  @Column('uuid', { name: 'endpoint_id' })
  endpointId!: string;

  /** The type of the event. */
  @Column('text')
  event!: string;

  @Column('boolean', { name: 'is_test' })
  isTest!: boolean;

  @Column('text')
  status!: DeliveryStatus;

  /** When the next automatic attempt is due; null unless it is pending or paused. */
  @Column('timestamptz', { name: 'next_attempt_at', nullable: true })
  nextAttemptAt!: Date | null;

  /** Attempts begun, of every kind. */
  @Column('integer')
  readonly attempts!: number;

  @Column('integer', { name: 'automatic_attempts' })
  readonly automaticAttempts!: number;

  /** A manual retry was requested, and its attempt has not ended. */
  @Column('boolean', { name: 'is_manual' })
  readonly isManual!: boolean;

  @Column('integer', { name: 'manual_retries' })
  readonly manualRetries!: number;

  /** The API asks the relay for its job. */
  @Column('boolean', { name: 'needs_job' })
  needsJob!: boolean;

  /** The attempt in progress; null if there is none. */
  @Column('timestamptz', {
    name: 'attempt_started_at',
    nullable: true,
  })
  readonly attemptStartedAt!: Date | null;

  /** The job that makes the attempt in progress. */
  @Column('text', { name: 'attempt_job', nullable: true })
  readonly attemptJob!: string | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'finished_at', nullable: true })
  readonly finishedAt!: Date | null;
}

/** One attempt at a delivery that has ended. The statement that records an attempt also updates its delivery. */
@Entity('webhook_attempts')
export class WebhookAttempt {
  @PrimaryColumn('uuid', { name: 'delivery_id' })
  readonly deliveryId!: string;

  /** From 1. */
  @PrimaryColumn('integer')
  readonly number!: number;

  @Column('text')
  readonly kind!: AttemptKind;

  @Column('timestamptz', { name: 'started_at' })
  readonly startedAt!: Date;

  /** Null for an interrupted attempt. */
  @Column('integer', { name: 'duration_ms', nullable: true })
  readonly durationMs!: number | null;

  @Column('integer', { nullable: true })
  readonly status!: number | null;

  @Column('text', { nullable: true })
  readonly error!: AttemptErrorCode | null;

  /** The start of the receiver's response: untrusted text, to be escaped. */
  @Column('text', { nullable: true })
  readonly response!: string | null;
}
