import { RATE_LIMITED, SECURITY_SCHEMES } from '../access/access.openapi';
import { CONDITIONAL_READ } from '../platform/http/conditional.openapi';
import { EVERY_REQUEST, OVERLOADED, TOO_SLOW, UNAVAILABLE } from '../platform/http/http.openapi';
import type { About } from '../platform/openapi/document';
import { WEBHOOKS } from '../webhooks/webhooks.openapi';

/** What the OpenAPI document says of the whole interface. Each endpoint is described in its own module. */
export const API_DESCRIPTION: About = {
  info: {
    title: 'Quiz Question Service',
    version: '1.0.0',
    summary: 'Quizzes and their questions over HTTP, with plans, review and signed webhooks.',
    description:
      'Every body is JSON with a boolean `success`; errors are `{"success": false, "error": "…"}`. ' +
      'Each address has 60 requests in any minute, unless the deployment says otherwise. Fields and endpoints may be added: ignore what you do not know.',
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
        'Attempts, scores and leaderboards. The right answers stay on the server until they may be known.',
    },
    { name: 'Webhooks', description: 'Events that the service sends to your endpoints, signed.' },
    { name: 'Health', description: 'For load balancers and process managers.' },
  ],
  securitySchemes: SECURITY_SCHEMES,
  everywhere: {
    everyAnswer: { ...EVERY_REQUEST.everyAnswer, ...RATE_LIMITED.everyAnswer },
    failures: [
      ...(RATE_LIMITED.failures ?? []),
      ...(EVERY_REQUEST.failures ?? []),
      TOO_SLOW,
      OVERLOADED,
      UNAVAILABLE,
    ],
  },
  reads: CONDITIONAL_READ,
  outside: EVERY_REQUEST,
  webhooks: WEBHOOKS,
};
