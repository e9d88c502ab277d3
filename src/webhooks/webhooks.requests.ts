import {
  applyDecorators,
  Injectable,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { ArrayMaxSize, IsArray, IsOptional } from 'class-validator';
import type { Request } from 'express';
import { catchError } from 'rxjs';
import { EVENT_NAMES, type EventName } from '../events/event-map';
import { Config } from '../platform/config/config';
import { Invalid } from '../platform/errors/domain-errors';
import {
  ChoiceField,
  ChoicesField,
  LimitField,
  OffsetField,
  QueryText,
} from '../platform/http/request/query-fields';
import {
  BooleanField,
  EachItem,
  OneOfField,
  TextField,
  TimeField,
} from '../platform/http/request/text-fields';
import { LIMITS } from '../platform/limits/limits';
import { Field } from '../platform/openapi/fields';
import { DELIVERY_STATUSES, TEST_EVENT } from './deliveries/deliveries.service';
import type { ShownStatus } from './deliveries/deliveries.service';
import { checkSettings } from './endpoints/endpoint.rules';

/** Bodies and queries of webhooks, deliveries and events. `checkSettings` decides which URLs and event types are valid. */

const LONGEST_URL = 2048;

const EventsField = ({ optional = false } = {}) =>
  applyDecorators(
    Field({
      type: 'array',
      optional,
      nullable: optional,
      minItems: 1,
      maxItems: EVENT_NAMES.length,
      items: { type: 'string', enum: EVENT_NAMES },
    }),
    IsArray({ message: '$path must be an array of event types' }),
    ArrayMaxSize(EVENT_NAMES.length, {
      message: `$path must hold at most ${EVENT_NAMES.length} event types`,
    }),
    EachItem('itemType', (name) => typeof name === 'string', 'must be a string'),
    EachItem('tooLong', (name) => String(name).length <= 50, 'is longer than 50 characters'),
    ...(optional ? [IsOptional()] : []),
  );

/** Body of POST /webhooks. */
export class CreateWebhookRequest {
  /**
   * Where the events go: a public `https` URL on port 443. In development also an `http` URL of the service’s own
   * machine, such as `http://localhost:4000`.
   * @example https://hooks.example.com/quiz-events
   */
  @TextField({ max: LONGEST_URL })
  url!: string;

  /** The types of the events that it receives. @example ["quiz.published", "quiz.completed"] */
  @EventsField()
  events!: string[];

  /** Administrators only: it receives the events of all accounts. */
  @BooleanField({ optional: true })
  allAccounts: boolean = false;
}

/** Body of PATCH /webhooks/{id}. */
export class ChangeWebhookRequest {
  /**
   * Where the events go: a public `https` URL on port 443. In development also an `http` URL of the service’s own
   * machine, such as `http://localhost:4000`.
   * @example https://hooks.example.com/quiz-events
   */
  @TextField({ max: LONGEST_URL, optional: true, filled: true })
  url?: string | null;

  /** The types of the events that it receives. @example ["quiz.published", "quiz.completed"] */
  @EventsField({ optional: true })
  events?: string[] | null;

  /** Events of a disabled endpoint are kept, and sent once it is enabled again. @example false */
  @BooleanField({ optional: true })
  disabled?: boolean;

  /** Administrators only: it receives the events of all accounts. */
  @BooleanField({ optional: true })
  allAccounts?: boolean;
}

/** Adds what `checkSettings` finds to the other errors of a body, so that a client gets all of them at once. */
@Injectable()
class SettingsErrors implements NestInterceptor {
  constructor(private readonly config: Config) {}

  intercept(context: ExecutionContext, next: CallHandler) {
    const { body } = context.switchToHttp().getRequest<Request<object, unknown, object | null>>();
    return next.handle().pipe(
      catchError((error: unknown) => {
        if (!(error instanceof Invalid)) throw error;
        const [first, ...others] = error.details ?? [];
        const more = this.errorsOf({ ...body }).filter(
          ({ path }) => !error.details?.some((known) => known.path.startsWith(path)),
        );
        throw first && more.length > 0
          ? new Invalid('The body', [first, ...others, ...more])
          : error;
      }),
    );
  }

  private errorsOf({ url, events }: { url?: unknown; events?: unknown }) {
    const isList = Array.isArray(events) && events.length <= EVENT_NAMES.length;
    const names = isList && events.every((name) => typeof name === 'string') ? events : undefined;
    try {
      checkSettings(
        { url: typeof url === 'string' ? url : undefined, events: names },
        this.config.webhooks,
      );
    } catch (error) {
      if (error instanceof Invalid) return error.details ?? [];
      throw error;
    }
    return [];
  }
}
/** The errors of an invalid body include those of its URL and event types. */
export const AllErrors = () => UseInterceptors(SettingsErrors);

/** What a change without a field gets. */
export const NOTHING_GIVEN = {
  path: '',
  message: 'give at least one of url, events, disabled and allAccounts',
  code: 'empty',
};

const ROTATION_STEPS = ['stage', 'promote', 'retire'] as const;

/** Body of POST /webhooks/{id}/secret. */
export class RotateSecretRequest {
  /**
   * `stage` makes the next secret; `promote` signs `X-Service-Signature` with it; `retire` drops the old one.
   * @example stage
   */
  @OneOfField(ROTATION_STEPS)
  step!: (typeof ROTATION_STEPS)[number];
}

/** Body of POST /webhooks/{id}/retry-failed. */
export class RetryFailedRequest {
  /** Deliveries that failed from this time on. @example 2026-01-01T00:00:00Z */
  @TimeField()
  since!: Date;
}

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

  /** How many to send. */
  @LimitField(LIMITS.webhooks.eventsPage.value)
  limit: number = 50;
}
