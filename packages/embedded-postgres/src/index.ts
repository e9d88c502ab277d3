/** What the service and its tests use. README.md beside this folder says how it works. */
export {
  hasEmbeddedData,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
} from './embedded-postgres';
export { type SupervisorEvents } from './supervisor';
// For tests that start servers of their own with these programs.
export { layoutOf } from './data-directory';
export { readPostmaster } from './postmaster';
export { chooseRunAs, commandFor, findBinaries } from './programs';
