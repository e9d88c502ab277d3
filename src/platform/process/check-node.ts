/** Imported for its effect, before any module that an old Node.js cannot load. */
// eslint-disable-next-line @typescript-eslint/no-require-imports -- also runs before dist/ exists, so it is not compiled
require('#check-node');
