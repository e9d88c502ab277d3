import type { EventName } from '../events/event-map';
import { Choice, Example, Field, Whole } from '../platform/openapi/fields';
import type { Failure } from '../platform/openapi/failures';
import {
  DELIVERY_STATUSES,
  type AttemptView,
  type AttemptWithRequest,
  type DeliveryDetail,
  type DeliverySummary,
} from './deliveries/deliveries.service';
import { NOT_STORED } from './deliveries/stored-events.service';
import type { EndpointView } from './endpoints/endpoint.entity';

/** What the API sends of webhooks, deliveries and events, and how it fails (docs/webhooks.md). */

const EXAMPLE_WEBHOOK = '019a9f3e-6c00-7000-8000-000000000080';
const EXAMPLE_DELIVERY = '019a9f3e-6c00-7000-8000-000000000070';
const EXAMPLE_EVENT = '019a9f3e-6c00-7000-8000-000000000050';
const EXAMPLE_BODY = '{"id":"…","event":"quiz.published",…}';
const MOMENT = '2026-01-01T00:00:00.000Z';

export const WEBHOOK_ID = ['The id of the webhook endpoint.', EXAMPLE_WEBHOOK] as const;
export const DELIVERY_ID = ['The id of the delivery.', EXAMPLE_DELIVERY] as const;

export class Webhook {
  /** The id of the endpoint, for its URLs in the API. */
  @Example(EXAMPLE_WEBHOOK) id!: string;
  /** Where the events go. @example https://hooks.example.com/quiz-events */
  url!: string;
  /** The types of the events that it receives. @example ["quiz.published"] */
  @Field({ type: 'array', items: { type: 'string' } })
  events!: EventName[];
  /** Whether it receives the events of all accounts. @example false */
  allAccounts!: boolean;
  /** The step of the secret’s rotation; null while none is under way. */
  @Choice(['staged', 'retiring'])
  rotation!: 'staged' | 'retiring' | null;
  /** When it was disabled; null while it is enabled. */
  @Example(null)
  disabledAt!: Date | null;
  /** Why it was disabled. */
  @Example(null) disabledReason!: string | null;
  /** The first failure since the last success; null while it responds. */
  @Example(null)
  failingSince!: Date | null;
  /** When it was added. */
  @Example(MOMENT)
  createdAt!: Date;
}

const EXAMPLE_SECRET = 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=';

export class CreatedWebhook extends Webhook {
  /** The signing secret, which no other response contains. */
  @Example(EXAMPLE_SECRET)
  secret!: string;
}

export class RotatedWebhook extends Webhook {
  /** The signing secret, which no other response contains. Only after `stage`. */
  @Example(EXAMPLE_SECRET)
  secret?: string;
}

export const toWebhook = ({ accountId: _, version: __, ...shown }: EndpointView): Webhook => shown;

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
  /** Attempts made so far, of every kind. @example 1 */
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

export class Event {
  /** Its id: give it as `after` to get those that follow. */
  @Example(EXAMPLE_EVENT) id!: string;
  /** The event type. @example quiz.published */
  type!: string;
  /** When it happened. */
  @Example(MOMENT)
  createdAt!: Date;
  /**
   * The envelope, the same text for every endpoint and attempt: what signatures are made of, in UTF-8.
   */
  @Example(EXAMPLE_BODY)
  body!: string;
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

export const WEBHOOK_NOT_FOUND: Failure = {
  status: 404,
  name: 'webhook-endpoint-not-found',
  title: 'Your account has no such webhook endpoint',
  error: 'Webhook endpoint not found.',
  fix: 'Take the id from the list of endpoints. A deleted one is not found either.',
};

export const DELIVERY_NOT_FOUND: Failure = {
  status: 404,
  name: 'delivery-not-found',
  title: 'Your account has no such delivery',
  error: 'Delivery not found.',
  fix: 'Take the id from the list of deliveries. Finished ones are deleted after the retention time, 30 days unless the deployment says otherwise.',
};

export const TOO_MANY_WEBHOOKS: Failure = {
  status: 403,
  name: 'webhook-limit-reached',
  title: 'The account has as many webhook endpoints as it may have',
  error:
    'An account may have 20 webhook endpoints, and you have reached that limit. Delete one to make room.',
  fix: 'Delete an endpoint, or let one receive more event types.',
};

export const WRONG_STEP: Failure = {
  status: 409,
  name: 'wrong-rotation-step',
  title: 'It is not the time for this step of the rotation',
  error: 'There is no staged secret to promote: stage one first.',
  fix: 'The order is `stage`, `promote`, `retire`; `rotation` of the endpoint says how far it is.',
};

export const ENDPOINT_DISABLED: Failure = {
  status: 409,
  name: 'endpoint-disabled',
  title: 'The endpoint of the delivery is disabled or deleted',
  error: 'The endpoint of this delivery is disabled: enable it, then retry.',
  fix: 'Enable the endpoint. Deliveries to a deleted one cannot be retried.',
};

export const TOO_MANY_RETRIES: Failure = {
  status: 429,
  name: 'too-many-webhook-attempts',
  title: 'Too many test events or retries',
  error: 'Too many retries. Try again in 15 minutes.',
  fix: 'Wait for the number of seconds in `Retry-After`. In 15 minutes an account has 60 retries and 6 of all that failed; in a minute 12 test events, and an endpoint 6.',
};

export const EVENT_NOT_STORED: Failure = {
  status: 410,
  name: 'event-not-stored',
  title: 'The event in `after` is not stored',
  error: NOT_STORED,
  fix: 'Ask without `after` and skip the ids that you have handled. Events are stored for 30 days, unless the deployment says otherwise.',
};
