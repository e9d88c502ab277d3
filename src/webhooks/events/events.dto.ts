import { EVENT_NAMES, type EventName } from '../../events/event-map';
import { ChoicesField, LimitField, QueryText } from '../../platform/http/request/query-fields';
import { LIMITS } from '../../platform/limits/limits';
import type { Failure } from '../../platform/openapi/failures';
import { Example, SchemaName } from '../../platform/openapi/fields';

/** What the API takes and sends of stored events, and how it fails (docs/webhooks.md). */

const EXAMPLE_EVENT = '019a9f3e-6c00-7000-8000-000000000050';

/** Query of GET /events. */
export class ListEventsQuery {
  /**
   * The id of an event, as in `X-Service-Delivery`: those after it. Without it the oldest stored event comes first.
   */
  @QueryText()
  after?: string;

  /** Only these types; without it all. @example ["quiz.completed", "quiz.deleted"] */
  @ChoicesField(EVENT_NAMES)
  types: EventName[] = [];

  /** The most to send. */
  @LimitField(LIMITS.webhooks.eventsPage.value)
  limit: number = 50;
}

@SchemaName('Event')
export class StoredEvent {
  /** Its id: give it as `after` to get those that follow. */
  @Example(EXAMPLE_EVENT) id!: string;
  /** The event type. @example quiz.published */
  type!: string;
  /** When it happened. */
  @Example('2026-01-01T00:00:00.000Z')
  createdAt!: Date;
  /** The envelope as a JSON string: exactly the bytes that are signed and sent, in UTF-8. */
  @Example('{"id":"…","event":"quiz.published",…}')
  body!: string;
}

export const EVENT_NOT_STORED = {
  status: 410,
  name: 'event-not-stored',
  title: 'The event in `after` is not stored',
  error:
    'The event in "after" is not stored for your account: it is unknown or its retention time is over. Ask without "after" to begin with the oldest stored event, and skip the ids that you know.',
  fix: 'Ask without `after` and skip the ids that you have handled. Events are stored for 30 days, unless the deployment says otherwise.',
} satisfies Failure;
