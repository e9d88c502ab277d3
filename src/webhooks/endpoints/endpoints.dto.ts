import { createHash } from 'node:crypto';
import { applyDecorators } from '@nestjs/common';
import { ArrayMaxSize, IsArray, IsOptional } from 'class-validator';
import { EVENT_NAMES, type EventName } from '../../events/event-map';
import {
  BooleanField,
  EachItem,
  OneOfField,
  TextField,
} from '../../platform/http/request/text-fields';
import { LIMITS } from '../../platform/limits/limits';
import type { Failure } from '../../platform/openapi/failures';
import { Choice, Example, Field } from '../../platform/openapi/fields';
import type { EndpointWithSecrets, WebhookEndpoint } from './endpoint.entity';
import { MAX_URL_LENGTH } from './endpoint.rules';

/**
 * What the API takes and sends of webhook endpoints, and how it fails (docs/webhooks.md). `checkSettings` decides which
 * URLs and event types are valid.
 */

const EXAMPLE_WEBHOOK = '019a9f3e-6c00-7000-8000-000000000080';
const MOMENT = '2026-01-01T00:00:00.000Z';

export const WEBHOOK_ID = ['The id of the webhook endpoint.', EXAMPLE_WEBHOOK] as const;

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
  @TextField({ max: MAX_URL_LENGTH })
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
  @TextField({ max: MAX_URL_LENGTH, optional: true, filled: true })
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

/** What a change without a field gets. */
export const NOTHING_GIVEN = {
  path: '',
  message: 'it must have at least one of: url, events, disabled, allAccounts',
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

/** What people see of an endpoint: never its secrets. */
export type EndpointView = Pick<
  WebhookEndpoint,
  | 'id'
  | 'accountId'
  | 'url'
  | 'events'
  | 'allAccounts'
  | 'rotation'
  | 'createdAt'
  | 'disabledAt'
  | 'disabledReason'
  | 'failingSince'
>;

/** Of one endpoint, for `ETag` and `If-Match`. */
export interface VersionedEndpoint extends EndpointView {
  /** A hash of what owners change of it, both secrets too, and not of what its deliveries come to (`failingSince`). */
  version: string;
}

export const endpointView = (endpoint: EndpointView): EndpointView => ({
  accountId: endpoint.accountId,
  ...toWebhook(endpoint),
});

export function versionedEndpoint(endpoint: EndpointWithSecrets): VersionedEndpoint {
  const { url, events, allAccounts, rotation, disabledAt } = endpoint;
  // As encrypted, with a random nonce: the hash says nothing about the secrets.
  const secrets = [endpoint.secret, endpoint.otherSecret].map((it) => it?.toString('base64'));
  const version = createHash('sha256')
    .update(JSON.stringify([url, events, allAccounts, rotation, secrets, disabledAt]))
    .digest('base64url');
  return { ...endpointView(endpoint), version };
}

export const toWebhook = (endpoint: EndpointView): Webhook => ({
  id: endpoint.id,
  url: endpoint.url,
  events: endpoint.events,
  allAccounts: endpoint.allAccounts,
  rotation: endpoint.rotation,
  createdAt: endpoint.createdAt,
  disabledAt: endpoint.disabledAt,
  disabledReason: endpoint.disabledReason,
  failingSince: endpoint.failingSince,
});

export const WEBHOOK_NOT_FOUND: Failure = {
  status: 404,
  name: 'webhook-endpoint-not-found',
  title: 'Your account has no such webhook endpoint',
  error: 'Webhook endpoint not found.',
  fix: 'Take the id from the list of endpoints. A deleted one is not found either.',
};

export const TOO_MANY_WEBHOOKS = {
  status: 403,
  name: 'webhook-limit-reached',
  title: 'The account has as many webhook endpoints as it may have',
  error: `An account may have ${LIMITS.accounts.endpoints.value} webhook endpoints, and you have reached that limit. Delete one to make room.`,
  fix: 'Delete an endpoint, or let one receive more event types.',
} satisfies Failure;

export const WRONG_STEP: Failure = {
  status: 409,
  name: 'wrong-rotation-step',
  title: 'It is not the time for this step of the rotation',
  error: 'There is no staged secret to promote: stage one first.',
  fix: 'The order is `stage`, `promote`, `retire`; `rotation` of the endpoint says how far it is.',
};
