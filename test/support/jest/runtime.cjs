// Jest's runtime with one change: whatever a test file or Jest's adapter imports is loaded by Node's own `require`, once
// per process and in the realm of the process. Only the test file and the adapter itself are loaded anew for each file.
// docs/adr/0018-test-files-share-modules.md says why.
//
// Private parts of jest-runtime that it uses, to be checked before an upgrade: `executor`, its `compile` (replaced) and
// its `injectedModuleParameters`; `installGetBuiltinModule` (replaced); `_getFullTransformationOptions`; and the place of
// the transformer, the fourth, among the arguments of the constructor. `requireModuleOrMock` and `requireInternalModule`,
// which it replaces too, are public.
require('../source-packages.cjs');
const { AsyncLocalStorage } = require('node:async_hooks');
const { createRequire, Module } = require('node:module');
const { compileFunction } = require('node:vm');
const { default: Runtime } = require('jest-runtime');

/** The runtime of the test file that is running. */
let current;

/** Where the source map of each TypeScript file is that `require` has loaded. */
const sourceMaps = new Map();

for (const extension of ['.ts', '.tsx'])
  Module._extensions[extension] = (module, file) => module._compile(current.compile(file), file);

/**
 * Jest's adapter makes a context for each file, which is never disabled: Node 20 would copy all of them to each promise,
 * 70 of them at the end of a run. So all files have one.
 */
const context = new AsyncLocalStorage();
const asyncHooks = {
  AsyncLocalStorage: function TestContext() {
    return context;
  },
};

module.exports = class SharedRuntime extends Runtime {
  constructor(...args) {
    super(...args);
    this.transformer = args[3];
    for (const [file, map] of sourceMaps) this.getSourceMaps().set(file, map);
    const { executor } = this;
    executor.compile = (code, filename) =>
      compileFunction(code, executor.injectedModuleParameters, { filename });
    current = this;
  }

  requireModuleOrMock(from, moduleName) {
    return moduleName === '@jest/globals'
      ? super.requireModuleOrMock(from, moduleName)
      : createRequire(from)(moduleName);
  }

  requireInternalModule(from, moduleName) {
    if (moduleName === undefined) return super.requireInternalModule(from);
    return moduleName === 'node:async_hooks' ? asyncHooks : createRequire(from)(moduleName);
  }

  /** The JavaScript of a TypeScript file, out of Jest's cache of compiled files. */
  compile(file) {
    const options = this._getFullTransformationOptions();
    const { code, sourceMapPath } = this.transformer.transform(file, options);
    for (const maps of [sourceMaps, this.getSourceMaps()]) maps.set(file, sourceMapPath);
    return code;
  }

  /** Nothing to install: `process` is Node's own here. */
  installGetBuiltinModule() {}
};
