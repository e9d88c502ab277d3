import { EVENT_NAMES } from '../../events/event-map';
import {
  ChoiceField,
  LimitField,
  OffsetField,
  QueryText,
} from '../../platform/http/request/query-fields';
import { TimeField } from '../../platform/http/request/text-fields';
import { LIMITS } from '../../platform/limits/limits';
import type { Failure } from '../../platform/openapi/failures';
import { Choice, Example, Field, header, Whole, wholeNumber } from '../../platform/openapi/fields';
import type { WebhookAttempt } from './delivery.entity';
import { DELIVERY_STATUSES, type ShownStatus, TEST_EVENT } from './delivery.rules';

/** What the API takes and sends of deliveries, and how it fails (docs/webhooks.md). */

const EXAMPLE_WEBHOOK = '019a9f3e-6c00-7000-8000-000000000080';
const EXAMPLE_DELIVERY = '019a9f3e-6c00-7000-8000-000000000070';
const EXAMPLE_EVENT = '019a9f3e-6c00-7000-8000-000000000050';
const EXAMPLE_BODY = '{"id":"…","event":"quiz.published",…}';
const MOMENT = '2026-01-01T00:00:00.000Z';

export const DELIVERY_ID = ['The id of the delivery.', EXAMPLE_DELIVERY] as const;

/** Query of GET /deliveries. */
export class ListDeliveriesQuery {
  /** The id of an endpoint. */
  @QueryText()
  endpoint?: string;

  /** What became of them. */
  @ChoiceField(DELIVERY_STATUSES)
  status?: ShownStatus;

  /** One event type. */
  @ChoiceField([...EVENT_NAMES, TEST_EVENT])
  event?: string;

  /** Those created from this time on. @example 2026-01-01T00:00:00Z */
  @TimeField({ optional: true })
  since?: Date;

  /** How many to send. */
  @LimitField()
  limit: number = 10;

  /** How many to skip. */
  @OffsetField()
  offset: number = 0;
}

/** Body of POST /webhooks/{id}/retry-failed. */
export class RetryFailedRequest {
  /** Deliveries that failed from this time on. @example 2026-01-01T00:00:00Z */
  @TimeField()
  since!: Date;
}

export type AttemptView = Omit<WebhookAttempt, 'deliveryId'>;

/** An attempt as one delivery shows it. */
export interface AttemptWithRequest extends AttemptView {
  /** Null if no key decrypts the endpoint's secret. */
  requestHeaders: Record<string, string> | null;
}

export interface DeliverySummary {
  id: string;
  eventId: string;
  event: string;
  endpointId: string;
  /** The endpoint's present URL. */
  url: string;
  isTest: boolean;
  status: ShownStatus;
  /** Attempts begun, of every kind. */
  attempts: number;
  /** An attempt is in progress, or a manual retry is about to start. */
  underWay: boolean;
  /** Its endpoint is disabled, so it waits. */
  paused: boolean;
  createdAt: Date;
  finishedAt: Date | null;
  /** When the next automatic attempt is due; null if there is none. */
  nextAttemptAt: Date | null;
  lastAttempt: AttemptView | null;
}

export interface DeliveryDetail extends Omit<DeliverySummary, 'lastAttempt'> {
  /** The envelope as it is signed and sent. */
  body: string;
  /** In order. */
  attemptLog: AttemptWithRequest[];
  /** The headers of a request that is made now, to repeat it by hand; null as above. */
  headersNow: Record<string, string> | null;
}

export class Delivery {
  /** The id of the delivery, for its URLs in the API. */
  @Example(EXAMPLE_DELIVERY) id!: string;
  /** The event, as in `X-Service-Delivery`. */
  @Example(EXAMPLE_EVENT) eventId!: string;
  /** The type of the event. @example quiz.published */
  event!: string;
  /** The endpoint that it goes to. */
  @Example(EXAMPLE_WEBHOOK) endpointId!: string;
  /** What became of it. @example delivered */
  @Choice(DELIVERY_STATUSES)
  status!: DeliverySummary['status'];
  /** Attempts begun so far, of every kind. @example 1 */
  @Whole() attempts!: number;
  /** When the next automatic attempt is due; null when none is. */
  @Example(null)
  nextAttemptAt!: Date | null;
  /** When it was created. */
  @Example(MOMENT)
  createdAt!: Date;
}

export class DeliveryAttempt implements AttemptWithRequest {
  /** From 1. @example 1 */
  @Whole() number!: number;
  /** What it was made for; `interrupted`: we broke it off, and it does not count. */
  @Choice(['automatic', 'manual', 'test', 'interrupted'])
  kind!: AttemptView['kind'];
  /** When it began. */
  @Example(MOMENT)
  startedAt!: Date;
  /** How long it took, in milliseconds; null if it was interrupted. @example 87 */
  @Whole()
  durationMs!: number | null;
  /** The HTTP status; null if none arrived. @example 204 */
  @Whole()
  status!: number | null;
  /** Why there was no complete response: an error code of the guide. */
  @Example(null)
  error!: AttemptView['error'];
  /** The beginning of your response, at most 4,096 characters. */
  @Example(null)
  response!: string | null;
  /**
   * The headers of the request, by name. The signatures are computed when you read them, with the endpoint’s secrets as
   * they are now: after a rotation they differ from those that were sent. Null if the secret cannot be decrypted.
   */
  @Example({
    'Content-Type': 'application/json',
    'X-Service-Event': 'quiz.published',
    'X-Service-Delivery': EXAMPLE_EVENT,
    'X-Service-Signature':
      'sha256=5f2a1d7c0b9e8f6a4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b',
    'webhook-timestamp': '1767225600',
  })
  @Field({ type: 'object', nullable: true, additionalProperties: { type: 'string' } })
  requestHeaders!: Record<string, string> | null;
}

export class DeliveryWithAttempts extends Delivery {
  /** The body as it is signed and sent. */
  @Example(EXAMPLE_BODY)
  body!: string;
  /** Every attempt, in order. */
  attemptLog!: DeliveryAttempt[];
}

export const toDelivery = (shown: Omit<DeliverySummary, 'lastAttempt'>): Delivery => ({
  id: shown.id,
  eventId: shown.eventId,
  event: shown.event,
  endpointId: shown.endpointId,
  status: shown.status,
  attempts: shown.attempts,
  nextAttemptAt: shown.nextAttemptAt,
  createdAt: shown.createdAt,
});

export const toDeliveryWithAttempts = (delivery: DeliveryDetail): DeliveryWithAttempts => ({
  ...toDelivery(delivery),
  body: delivery.body,
  attemptLog: delivery.attemptLog,
});

export class DeliveriesMeta {
  /** As asked for. @example 10 */
  @Whole() limit!: number;
  /** As asked for. @example 0 */
  @Whole() offset!: number;
  /** Whether there are more after this page. @example false */
  hasMore!: boolean;
}

/** A test event that is on its way. */
export class TestDelivery {
  /** Its delivery, which shows the attempt. */
  @Example(EXAMPLE_DELIVERY) deliveryId!: string;
}

export class RetriedDeliveries {
  /** How many deliveries are attempted again. @example 3 */
  @Whole() retried!: number;
}

export const DELIVERY_NOT_FOUND: Failure = {
  status: 404,
  name: 'delivery-not-found',
  title: 'Your account has no such delivery',
  error: 'Delivery not found.',
  fix: 'Take the id from the list of deliveries. Finished ones are deleted after the retention time, 30 days unless the deployment says otherwise.',
};

export const ENDPOINT_DISABLED: Failure = {
  status: 409,
  name: 'endpoint-disabled',
  title: 'The endpoint is disabled or deleted',
  error: 'The endpoint is disabled: enable it, then retry.',
  fix: 'Enable the endpoint. Deliveries to a deleted one cannot be retried.',
};

const { retryByAccount, bulkRetryByAccount, testByAccount, testByEndpoint } = LIMITS.actions;

export const TOO_MANY_RETRIES: Failure = {
  status: 429,
  name: 'too-many-webhook-attempts',
  title: 'Too many test events or retries',
  error: 'Too many retries. Try again in 15 minutes.',
  fix: `Wait for the number of seconds in \`Retry-After\`. In 15 minutes an account has ${retryByAccount.value} retries and ${bulkRetryByAccount.value} of all that failed; in a minute ${testByAccount.value} test events, and an endpoint ${testByEndpoint.value}.`,
  headers: {
    'Retry-After': header(
      'Whole seconds to wait: up to 900 after retries, up to 60 after anything else.',
      wholeNumber(900, { minimum: 1, maximum: 900 }),
    ),
  },
};
