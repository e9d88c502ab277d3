/** What the document says about the events (specification, part 6; docs/webhooks.md). */

import { DISABLED_REASONS, type EventMap, type EventName } from '../../events/event-map';
import { object, ref, text } from '../../platform/openapi/fields';
import type {
  OpenApiDocument,
  ParameterObject,
  Schema,
} from '../../platform/openapi/openapi-objects';

const integer = (description: string, example: number): Schema => ({
  type: 'integer',
  description,
  examples: [example],
});

const EVENT_ID = '019a9f3e-6c00-7000-8000-000000000050';
const QUIZ_ID = '019a9f3e-6c00-7000-8000-000000000001';
const ACCOUNT_ID = '019a9f3e-6c00-7000-8000-000000000060';
const MOMENT = '2026-01-01T00:00:00.000Z';

const quiz_id = text('The id of the quiz.', QUIZ_ID);
const title = text('The title of the quiz when the event happened.', 'Rivers of Europe');
const endpoint_id = text('The endpoint that failed.', '019a9f3e-6c00-7000-8000-000000000080');
const user_id = text(
  'The player: the id that your app has given them, or one that begins with `web:` for a visitor of the player’s page.',
  'user-17',
);
const score = integer('Number of correct answers.', 9);
const time_spent = integer('Seconds.', 73);
const moment = (description: string) => text(description, MOMENT, { format: 'date-time' });

type Fields<Event> = { [Field in keyof Event]-?: Schema };

/** The `data` of each event: the compiler asks for every field of the event. */
const DATA: { [Name in EventName]: Fields<EventMap[Name]> } = {
  'quiz.created': {
    quiz_id,
    title,
    category: text('Its category; null if it has none.', 'Rivers & Lakes', {
      type: ['string', 'null'],
    }),
    created_by: text('The id of its owner’s account.', ACCOUNT_ID),
  },
  'quiz.published': {
    quiz_id,
    title,
    published_by: text('The id of its owner’s account.', ACCOUNT_ID),
  },
  'quiz.updated': { quiz_id, title, updated_at: moment('When the quiz was changed.') },
  'quiz.deleted': { quiz_id, title, deleted_at: moment('When the quiz was deleted.') },
  'quiz.rejected': {
    quiz_id,
    title,
    reason: text(
      'What the administrator wrote to the owner.',
      'The answer to question 3 is wrong.',
    ),
    rejected_at: moment('When the quiz was rejected.'),
  },
  'quiz.regraded': {
    quiz_id,
    title,
    attempts: integer('How many attempts had been scored by another answer key.', 29),
    changed: integer('How many of them have another score now.', 23),
    regraded_at: moment('When the last attempt was scored again.'),
  },
  'attempt.submitted': {
    attempt_id: text('The id of the attempt.', '019a9f3e-6c00-7000-8000-000000000040'),
    quiz_id,
    user_id,
    score,
  },
  'quiz.completed': {
    quiz_id,
    user_id,
    score,
    time_spent,
    total_questions: integer('Number of questions.', 12),
    completed_at: moment('When the attempt was submitted.'),
  },
  'leaderboard.updated': {
    quiz_id,
    top_scores: {
      type: 'array',
      description: 'The best players, at most ten.',
      items: object({ rank: integer('From 1.', 1), user_id, score, time_spent }),
      maxItems: 10,
    },
    updated_at: moment('When the top ten changed.'),
  },
  'delivery.failed': {
    delivery_id: text('The failed delivery.', '019a9f3e-6c00-7000-8000-000000000070'),
    event_id: text('The event that was not delivered.', EVENT_ID),
    event: text('The event type.', 'quiz.created'),
    endpoint_id,
    attempts: integer('How many attempts were made.', 4),
    http_status: {
      ...integer('The HTTP status of the last attempt; null if there was none.', 500),
      type: ['integer', 'null'],
    },
    error: text('Why the last attempt got no complete response; null if it did.', 'timeout', {
      type: ['string', 'null'],
    }),
    failed_at: moment('When the last attempt failed.'),
  },
  'endpoint.disabled': {
    endpoint_id,
    reason: text(
      '`failing`: every attempt failed for five days. `gone`: it responded 410. `right_withdrawn`: it received the events of all accounts, and its owner was disabled or is no longer an administrator.',
      'gone',
      { enum: [...DISABLED_REASONS] },
    ),
    disabled_at: moment('When the endpoint was disabled.'),
  },
};

/** For the document and the dashboard: what has happened, and when the event is sent. */
export const EVENT_TEXTS: Record<EventName, { summary: string; description: string }> = {
  'quiz.created': {
    summary: 'A quiz was created',
    description: 'Sent for every new quiz of your account.',
  },
  'quiz.published': {
    summary: 'A quiz became public',
    description: 'Sent once for a quiz, when it is published and approved for the first time.',
  },
  'quiz.updated': {
    summary: 'A quiz was changed',
    description:
      'Sent when the fields or the questions of a quiz change, or when it is resubmitted.',
  },
  'quiz.deleted': {
    summary: 'A quiz was deleted',
    description: 'Sent for every deleted quiz of your account.',
  },
  'quiz.rejected': {
    summary: 'A quiz was rejected',
    description: 'Sent when an administrator rejects a quiz, with the reason.',
  },
  'quiz.regraded': {
    summary: 'The attempts at a quiz were scored again',
    description:
      'Sent when the owner has earlier attempts scored by the present answer key: read them again.',
  },
  'attempt.submitted': {
    summary: 'A player submitted an attempt',
    description: 'Sent for every attempt, finished or not.',
  },
  'quiz.completed': {
    summary: 'A player finished a quiz',
    description: 'Sent together with `attempt.submitted` when every question was answered.',
  },
  'leaderboard.updated': {
    summary: 'The leaderboard of a quiz changed',
    description: 'Sent for each change of the visible top ten.',
  },
  'delivery.failed': {
    summary: 'A delivery to another endpoint failed',
    description:
      'Sent to the other endpoints of your account when no further automatic attempt follows. A failed delivery of this event causes no further one.',
  },
  'endpoint.disabled': {
    summary: 'Another endpoint was disabled',
    description: 'Sent to the other endpoints of your account when the service disables one.',
  },
};

const header = (name: string, description: string, example: string): ParameterObject => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string', examples: [example] },
});

const headersOf = (event: EventName): ParameterObject[] => [
  header(
    'X-Service-Signature',
    '`sha256=` and the lower-case hex HMAC-SHA256 of the raw body; the key is the whole signing secret as text, `whsec_` included.',
    `sha256=${'0123456789abcdef'.repeat(4)}`,
  ),
  header('X-Service-Event', 'The event type.', event),
  header('X-Service-Delivery', 'The event id: the same on every attempt.', EVENT_ID),
  header('User-Agent', 'Always `Service-Webhooks/1.0`.', 'Service-Webhooks/1.0'),
  header('webhook-id', 'The event id again (Standard Webhooks).', EVENT_ID),
  header('webhook-timestamp', 'When this attempt was sent, in seconds since 1970.', '1767225600'),
  header(
    'webhook-signature',
    '`v1,` and the base64 HMAC-SHA256 of id, timestamp and body, joined by dots; two of them, separated by a space, while the secret is being rotated.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];

const NAMES = Object.keys(DATA) as EventName[];

/** `QuizCreatedEvent` */
const schemaName = (name: EventName) =>
  `${name.replace(/(?:^|\.)(\w)/g, (_, first: string) => first.toUpperCase())}Event`;

export const EVENT_SCHEMAS = Object.fromEntries(
  NAMES.map((name) => [
    schemaName(name),
    object({
      id: text('The event id. You may get an event twice: handle each id once.', EVENT_ID),
      event: { type: 'string', const: name },
      created_at: moment('When it happened.'),
      data: object(DATA[name]),
    }),
  ]),
);

export const WEBHOOKS: OpenApiDocument['webhooks'] = Object.fromEntries(
  NAMES.map((name) => {
    const post = {
      operationId: name.replace(/\.(\w)/, (_, first: string) => first.toUpperCase()),
      tags: ['Webhooks'],
      ...EVENT_TEXTS[name],
      security: [],
      parameters: headersOf(name),
      requestBody: {
        required: true,
        content: { 'application/json': { schema: ref(schemaName(name)) } },
      },
      responses: {
        '2XX': {
          description:
            'Received. Respond within 30 seconds (by default), and do slow work afterwards.',
        },
        '410': { description: 'Gone: the delivery ends, and the endpoint is disabled.' },
        default: {
          description:
            'Anything else is a failure, redirects too: by default it is tried again after 1 minute, 10 minutes and 1 hour.',
        },
      },
    };
    return [name, { post }];
  }),
);
