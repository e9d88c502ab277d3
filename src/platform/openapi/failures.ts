import type { Failure } from './operation';
import { listOf, named, object, text } from './schema';

/** One fault of a body, as `details` lists them. */
const FAULT = named(
  'Fault',
  object(
    {
      path: text('Where in the body; empty for the body as a whole.', 'questions[3].answers'),
      message: text('A plain sentence that says what is wrong.', 'title is required'),
      code: text('What kind of fault it is. It stays the same when words change.', 'required'),
    },
    { description: 'One fault of a body.' },
  ),
);

/** The error envelope of the specification, part 7. */
export const ERROR_SCHEMA = named(
  'Error',
  object(
    {
      success: { type: 'boolean', const: false },
      error: text('A plain sentence that says what is wrong.', 'Quiz not found.'),
      details: listOf('Every fault of the body: only with 422.', FAULT),
    },
    { optional: ['details'], description: 'The body of every answer that is no success.' },
  ),
);

export const UNREADABLE_QUERY: Failure = {
  status: 400,
  name: 'invalid-parameter',
  title: 'A query parameter is invalid',
  error: 'limit must be a whole number from 1 to 50.',
  fix: 'The sentence names the parameter and what it takes. Give each parameter once, as plain text; numbers in decimal digits.',
};

export const WRONG_FIELDS: Failure = {
  status: 422,
  name: 'invalid-body',
  title: 'The body breaks rules',
  error: 'The body is not valid: title is required.',
  fix: 'Mend what `details` lists: it has every fault of the body at once, each with its `path`, a `message` for people and a `code` for programs. Nothing was changed.',
  details: [{ path: 'title', message: 'title is required', code: 'required' }],
};
