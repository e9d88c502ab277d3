// The processor of imports for workers that run the sources: BullMQ loads it by `import()`, which knows no TypeScript.
require('../faults/typescript.cjs');
module.exports = require('../../src/import-export/imports/running/import.processor.ts').default;
