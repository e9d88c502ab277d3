import type { Failure } from '../../platform/openapi/failures';

/** Of endpoints for administrators, or with a field for them. */
export const ADMINISTRATORS_ONLY: Failure = {
  status: 403,
  name: 'administrators-only',
  title: 'Only administrators may do this',
  error: "Only an administrator's endpoint may receive the events of all accounts.",
  fix: 'Leave out the field that the message names, or use the key of an administrator.',
};
