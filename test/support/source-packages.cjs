// Lets tests load packages/ from its sources, as `customConditions` in tsconfig.json does for the compiler: outside
// tests, `imports` in package.json names what the build writes.
const { Module } = require('node:module');
const { join } = require('node:path');

const ROOT = join(__dirname, '../..');
const { imports } = require(join(ROOT, 'package.json'));
const resolve = Module._resolveFilename;

Module._resolveFilename = (request, ...rest) =>
  imports[request]?.source ? join(ROOT, imports[request].source) : resolve(request, ...rest);
