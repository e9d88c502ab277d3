import { RATE_LIMITED } from '../access/rate-limit/rate-limit.document';
import { VOCABULARY_SCHEMAS } from '../catalog/discovery/discovery.dto';
import { LIMITS } from '../platform/limits/limits';
import type { DocumentOptions } from '../platform/openapi/complete';
import {
  CONDITIONAL_READ,
  EVERY_RESPONSE,
  IGNORED_NAMES,
  UNAVAILABLE,
  UNREAD,
} from '../platform/openapi/every-response';
import { ERROR_SCHEMAS } from '../platform/openapi/failures';
import { EVENT_SCHEMAS, WEBHOOKS } from '../webhooks/events/event-descriptions';

/** What the OpenAPI document says about the whole API. Endpoints are described at their handlers. */
export const API_DESCRIPTION: DocumentOptions = {
  info: {
    title: 'Quiz Question Service',
    version: '1.0.0',
    summary: 'Quizzes and their questions over HTTP, with plans, review and signed webhooks.',
    description:
      'Responses are JSON with a boolean `success`, except those of endpoints that send a file or no content; errors are `{"success": false, "error": "…"}`. ' +
      `A client address may make ${LIMITS.requests.perMinute.value} requests in any minute, unless the deployment sets another number or an administrator gave the key a rate of its own. ` +
      'Every error names its cause in the header `X-Error-Code`. Where a JSON object has a name twice, the last value counts. Fields and endpoints may be added: ignore what you do not know.',
    license: { name: 'MIT', identifier: 'MIT' },
  },
  tags: [
    {
      name: 'Discovery',
      description:
        'See what there is: totals, difficulties, topics, categories and tags. No key is needed.',
    },
    {
      name: 'Quizzes',
      description: 'Search and read public quizzes; create, edit, publish and delete your own.',
    },
    {
      name: 'Questions',
      description:
        'Browse and draw questions across quizzes; add, edit, order and delete your own.',
    },
    {
      name: 'Files',
      description:
        'Import question files (CSV, GIFT, Moodle XML and others), undo imports, and export quizzes.',
    },
    {
      name: 'Playing',
      description:
        'Let people play: start attempts, answer, finish, and read results and leaderboards. The correct answers stay on the server until they may be revealed.',
    },
    {
      name: 'Webhooks',
      description:
        'Receive signed events: manage endpoints and secrets, inspect and retry deliveries, catch up.',
    },
    {
      name: 'Account',
      description:
        'See which account and key a request is made with, and what they may do; delete the account.',
    },
    { name: 'Health', description: 'Check a process, for load balancers and process managers.' },
  ],
  // Only one scheme: given several, generated clients send the key in all of them, the URL included.
  securitySchemes: {
    bearer: {
      type: 'http',
      scheme: 'bearer',
      description:
        '`Authorization: Bearer svc_live_…`. Keys are issued on the page **API keys** of the dashboard; `svc_test_` keys are for testing and staging. ' +
        'The key is also accepted in the header `X-Api-Key` and, where headers are not possible, as the query parameter `api_key` or `apiKey`. ' +
        'Avoid the latter two in production: URLs get logged.',
    },
  },
  schemas: { ...ERROR_SCHEMAS, ...VOCABULARY_SCHEMAS, ...EVENT_SCHEMAS },
  everywhere: {
    headers: { ...EVERY_RESPONSE.headers, ...RATE_LIMITED.headers, ...IGNORED_NAMES },
    failures: [...RATE_LIMITED.failures, ...EVERY_RESPONSE.failures, ...UNAVAILABLE],
  },
  outside: EVERY_RESPONSE,
  unread: UNREAD,
  conditional: CONDITIONAL_READ,
  webhooks: WEBHOOKS,
};
