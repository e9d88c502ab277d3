// Preloaded: reading a file may take half a second of CPU time, whatever its size.
const { imports } = require('../../src/platform/limits/limit-table.json');

imports.readingTime.value = 500;
imports.readingTimePerMebibyte.value = 0;
