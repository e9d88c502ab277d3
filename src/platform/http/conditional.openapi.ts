import type { Header, Trait } from '../openapi/operation';

const TAG = {
  type: 'string',
  pattern: '^W/"[\\w-]+"$',
  examples: ['W/"2jmj7l5rSw0yVb_vlWAYkK_YBwk"'],
};

const ETAG: Record<string, Header> = {
  ETag: {
    description:
      'Stands for the body that you get. Keep it with the body, and send it in `If-None-Match`.',
    schema: TAG,
  },
};

/** What the reference says of every GET. */
export const CONDITIONAL_READ: Trait = {
  headers: {
    'If-None-Match': {
      description:
        'The `ETag` of the answer that you have: if it is still the same, you get 304 without a body.',
      schema: { type: 'string', examples: TAG.examples },
    },
  },
  answerHeaders: ETAG,
  answers: {
    304: { description: 'What you have is still right. There is no body.', headers: ETAG },
  },
};
