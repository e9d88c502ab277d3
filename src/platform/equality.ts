import { isDeepStrictEqual } from 'node:util';

/**
 * Whether the object has these values already, so that an update with them would change nothing. An explicit `undefined`
 * is a value like others: leave out what is not to be compared.
 */
export const hasValues = <Fields extends object>(stored: Fields, fields: Partial<Fields>) =>
  (Object.keys(fields) as (keyof Fields)[]).every((name) =>
    isDeepStrictEqual(stored[name], fields[name]),
  );
