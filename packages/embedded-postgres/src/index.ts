/** What the service and its tests use. ../README.md says how it works. */
export {
  hasEmbeddedData,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
} from './embedded-postgres';
export { makeFolder } from './make-folder';
export { type SupervisorEvents } from './supervisor';
// For tests and benches that start servers of their own.
export { layoutOf } from './data-directory';
export { freePort } from './free-port';
export { launchServer } from './launch';
export { readPostmaster } from './postmaster';
export { chooseRunAs, commandFor, findBinaries } from './programs';
