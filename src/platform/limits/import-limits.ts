const KIB = 1024;
const MIB = 1024 * KIB;

/** Question files that are imported: a section of the table of limits (limits.ts). */
export const imports = {
  badRows: {
    value: 10_000,
    unit: 'rows',
    what: 'Rows that cannot be imported, where they are more than half',
    per: 'file',
    beyond: 'the import fails and says so',
    test: 'test/stress/format-hostile-files.spec.ts › a file of bad rows is read as far as the limit and then refused',
  },
  reportRows: {
    value: 1_000,
    unit: 'rows',
    what: 'Rows of a report',
    per: 'kind and import',
    beyond: 'further ones are counted, not listed',
    test: 'test/api/imports.spec.ts › many notes keep no fault from the report',
  },
  reportBytes: {
    value: 128 * KIB,
    unit: 'bytes',
    what: 'Text of a report',
    per: 'kind and import',
    beyond: 'further rows are counted, not listed',
    test: 'test/api/imports.spec.ts › a report of long sentences is limited by its bytes',
  },
  readingTime: {
    value: 10_000,
    unit: 'ms',
    what: 'Computing time for reading',
    per: 'file',
    beyond: 'the import fails and says so',
    test: 'test/stress/format-hostile-files.spec.ts › a file that takes too much computing time ends with a sentence, and its thread is ended',
  },
  readingTimePerMebibyte: {
    value: 5_000,
    unit: 'ms',
    what: 'Further computing time for reading',
    per: 'MiB of a file',
    beyond: 'the import fails and says so',
    test: 'test/stress/format-hostile-files.spec.ts › a file that takes too much computing time ends with a sentence, and its thread is ended',
  },
  readingMemory: {
    value: 256 * MIB,
    unit: 'bytes',
    what: 'Memory for reading',
    per: 'file',
    beyond: 'the import fails and says so',
    test: 'test/stress/format-hostile-files.spec.ts › a file that takes too much memory ends with a sentence, and its thread is ended',
  },
  atATime: {
    value: 3,
    unit: 'imports',
    what: 'Imports that run at a time, one of each account',
    per: 'import process',
    beyond: 'the import waits; accounts take turns',
    test: 'test/api/imports-fair.spec.ts › accounts take turns, with one import at a time each',
  },
  processMemory: {
    value: 768 * MIB,
    unit: 'bytes',
    what: 'Heap of the import process; the threads that read files have their own',
    per: 'worker',
    beyond: 'the process ends, is started again and continues its imports',
    test: 'test/system/import-kill.spec.ts › an import whose process is frozen and killed, and then killed with its worker, stores each question once, and webhooks are delivered meanwhile',
  },
  smallFile: {
    value: 256 * KIB,
    unit: 'bytes',
    what: 'Size of a small file, for which one of these places is kept',
    per: 'file',
    beyond: 'the import waits for large ones too',
    test: 'test/api/imports-fair.spec.ts › a small file takes the place that is kept for small ones',
  },
} as const;
