import type { Failure } from '../../platform/openapi/failures';

/** Of endpoints that have a field for administrators. */
export const ADMINISTRATORS_ONLY: Failure = {
  status: 403,
  name: 'administrators-only',
  title: 'Only administrators may set this field',
  error: "Only an administrator's endpoint may receive the events of all accounts.",
  fix: 'Leave out the field that the message names.',
};
