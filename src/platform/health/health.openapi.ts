import type { Operation } from '../openapi/operation';
import { choice, listOf, object, success, text } from '../openapi/schema';

/** What the reference says of the endpoints for load balancers. */

export const GET_LIVENESS: Operation = {
  id: 'getLiveness',
  tag: 'Health',
  summary: 'Is the process alive?',
  description: 'Looks at nothing else. Not counted by the rate limit.',
  answer: {
    description: 'It is.',
    schema: success(object({ status: choice('Always the same.', ['live']) })),
  },
};

export const GET_READINESS: Operation = {
  id: 'getReadiness',
  tag: 'Health',
  summary: 'Can the process serve?',
  description:
    'For load balancers: send requests here only while the status is 200. Not counted by the rate limit.',
  answer: {
    description: 'It can, perhaps with something missing that requests can do without.',
    schema: success(
      object({
        status: choice('`degraded`: something is missing, see `notes`.', ['ready', 'degraded']),
        database: text('`up`.', 'up'),
        redis: text('`up`, `down`, or `unused` where there is none.', 'unused'),
        worker: text('The process that sends webhooks.', 'up'),
        notes: listOf(
          'A sentence for each thing that is wrong.',
          text('A sentence.', 'Redis does not answer.'),
        ),
      }),
    ),
  },
  failures: [
    {
      status: 503,
      name: 'not-ready',
      title: 'The process cannot serve',
      error: 'The database does not answer.',
      fix: 'Send requests to another process, and ask again in a few seconds.',
    },
  ],
};
