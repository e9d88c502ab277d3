import type { Invalid, Issue } from '../errors/domain-errors';
import type { ApiErrorCode } from '../errors/error-codes';
import { LIMITS } from '../limits/limits';
import { Described, object, ref, text } from './fields';
import type { HeaderObject, ResponseObject, Schema } from './openapi-objects';

/** A way in which a request can fail: the reference and the guide to errors have an entry for each. */
export interface Failure {
  status: number;
  /** Its name in the header X-Error-Code and in links. */
  name: ApiErrorCode;
  /** A few words, as a heading. */
  title: string;
  /** The sentence in `error`, or an example of it. */
  error: string;
  /** What to do, in a sentence or two. */
  fix: string;
  details?: Issue[];
  /** Headers of this response, in addition to those of every response. */
  headers?: Record<string, HeaderObject>;
}

/** The status, sentence and details of a failure, from an error that is an example of it. */
export const exampleFrom = ({ message, details }: Invalid) => ({
  status: 422,
  error: message,
  details,
});

/** Errors of an endpoint, or of all endpoints behind a guard or an interceptor. */
export const Fails = (...failures: Failure[]) =>
  Described(({ ApiResponse }) =>
    failures.map((failure) => {
      const { status, headers } = failure;
      const examples = exampleOf(failure);
      return ApiResponse({ status, ...(headers && { headers }), ...ERROR, examples } as object);
    }),
  );

/** Adds the failure to the response of its status, which may have others. */
export function addFailure(responses: Record<string, ResponseObject>, failure: Failure): void {
  const before = responses[failure.status];
  const known = before?.content?.['application/json']?.examples;
  responses[failure.status] = {
    description: '',
    headers: { ...before?.headers, ...failure.headers },
    content: { 'application/json': { ...ERROR, examples: { ...known, ...exampleOf(failure) } } },
  };
}

const ERROR = { schema: ref('Error') };

const exampleOf = ({ name, title, fix, error, details }: Failure) => ({
  [name]: {
    summary: title,
    description: fix,
    value: { success: false, error, ...(details && { details }) },
  },
});

const MOST = LIMITS.requests.listedErrors.value;
const MESSAGE = 'A plain sentence that says what is wrong.';

/** The error envelope of the specification, part 7. */
export const ERROR_SCHEMAS: Record<string, Schema> = {
  Error: {
    ...object({
      success: { type: 'boolean', const: false },
      error: text(MESSAGE, 'Quiz not found.'),
      details: {
        type: 'array',
        description: 'The issues of the body, in its order: with some causes of 422.',
        maxItems: MOST,
        items: ref('Issue'),
      },
    }),
    description: 'The body of every response that reports an error.',
    required: ['success', 'error'],
  },
  Issue: {
    ...object({
      path: text(
        'The location in the body; empty for the body as a whole.',
        'questions[3].answers',
      ),
      message: text(MESSAGE, 'title is required'),
      code: text('What kind of issue it is. It stays the same when the words change.', 'required'),
    }),
    description: 'One issue of a body.',
  },
};

export const INVALID_PARAMETER: Failure = {
  status: 400,
  name: 'invalid-parameter',
  title: 'A query parameter is invalid',
  error: 'limit must be an integer from 1 to 50.',
  fix: 'The message names the parameter and its valid values. Give each parameter once, unless it is a list, as plain text; numbers in decimal digits.',
};

export const INVALID_BODY: Failure = {
  status: 422,
  name: 'invalid-body',
  title: 'Validation failed',
  error: 'The body is not valid: title is required.',
  fix: `Fix what \`details\` lists: the first ${MOST.toLocaleString('en')} issues of the body at once, each with its \`path\`, a \`message\` for people and a \`code\` for programs. Nothing was changed.`,
  details: [{ path: 'title', message: 'title is required', code: 'required' }],
};
