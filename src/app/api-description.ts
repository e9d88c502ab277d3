import { RATE_LIMITED } from '../access/rate-limit/rate-limit.guard';
import { VOCABULARY_SCHEMAS } from '../catalog/resources';
import {
  CONDITIONAL_READ,
  EVERY_RESPONSE,
  UNAVAILABLE,
} from '../platform/http/server/every-response';
import type { DocumentOptions } from '../platform/openapi/complete';
import { ERROR_SCHEMAS } from '../platform/openapi/failures';
import { EVENT_SCHEMAS, WEBHOOKS } from '../webhooks/event-descriptions';

/** What the OpenAPI document says about the whole API. Endpoints are described at their handlers. */
export const API_DESCRIPTION: DocumentOptions = {
  info: {
    title: 'Quiz Question Service',
    version: '1.0.0',
    summary: 'Quizzes and their questions over HTTP, with plans, review and signed webhooks.',
    description:
      'Every body is JSON with a boolean `success`; errors are `{"success": false, "error": "…"}`. ' +
      'Each address has 60 requests in any minute, unless the deployment says otherwise. The service works on 4 requests of an account (without a key or with a play key: of an address) at a time, and on one after a request that took over 50 ms; up to 200 wait for their turn, further ones get 429. Fields and endpoints may be added: ignore what you do not know.',
    license: { name: 'MIT', identifier: 'MIT' },
  },
  tags: [
    { name: 'Discovery', description: 'What there is to find. No key is needed.' },
    { name: 'Quizzes', description: 'List, search, read and create quizzes.' },
    { name: 'Questions', description: 'Browse questions across quizzes, and import them.' },
    { name: 'Files', description: 'Question files in and out: CSV, GIFT, Moodle XML and others.' },
    {
      name: 'Playing',
      description:
        'Attempts, scores and leaderboards. The correct answers stay on the server until they may be revealed.',
    },
    { name: 'Webhooks', description: 'Events that the service sends to your endpoints, signed.' },
    { name: 'Account', description: 'The account and the key that a request is made with.' },
    { name: 'Health', description: 'For load balancers and process managers.' },
  ],
  // Only one scheme: given several, generated clients send the key in all of them, the URL included.
  securitySchemes: {
    bearer: {
      type: 'http',
      scheme: 'bearer',
      description:
        '`Authorization: Bearer svc_live_…`. Keys are issued on the account page; `svc_test_` keys are for testing and staging. ' +
        'The key is also accepted in the header `X-Api-Key` and, where headers are not possible, as the query parameter `api_key` or `apiKey`. ' +
        'Avoid the latter two in production: URLs get logged.',
    },
  },
  schemas: { ...ERROR_SCHEMAS, ...VOCABULARY_SCHEMAS, ...EVENT_SCHEMAS },
  everywhere: {
    headers: { ...EVERY_RESPONSE.headers, ...RATE_LIMITED.headers },
    failures: [...RATE_LIMITED.failures, ...EVERY_RESPONSE.failures, ...UNAVAILABLE],
  },
  outside: EVERY_RESPONSE,
  conditional: CONDITIONAL_READ,
  webhooks: WEBHOOKS,
};
