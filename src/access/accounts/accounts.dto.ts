import type { Failure } from '../../platform/openapi/failures';

/** The error of endpoints for administrators, and of those with a field that only they may set. */
export const ADMINISTRATORS_ONLY: Failure = {
  status: 403,
  name: 'administrators-only',
  title: 'Only administrators may do this',
  error: "Only an administrator's endpoint may receive the events of all accounts.",
  fix: 'Leave out the field that the message names, or use the key of an administrator.',
};
