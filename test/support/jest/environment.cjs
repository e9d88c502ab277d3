const { LegacyFakeTimers, ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');
const { openSince } = require('./open-resources.cjs');

/**
 * Runs a test file in the realm of the process (runtime.cjs). After the file, what it changed in the process is put
 * back, and a file that leaves a socket, server, timer or process open fails: it would keep the run from ending.
 *
 * Private parts of jest-circus that it uses, to be checked before an upgrade: the symbols of its state and of its
 * handlers on `globalThis`, which it recognises by their descriptions, and the fields of the describe blocks and tests that
 * `forget` deletes.
 */
module.exports = class TestEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);

  constructor({ projectConfig: config }) {
    // Node opens these when they are first used, as by a worker thread: that is nothing a test file leaves open.
    void [process.stdout, process.stderr];
    const { global, moduleMocker } = this;
    this.fakeTimers = new LegacyFakeTimers({ config, global, moduleMocker, timerConfig: {} });
    this.fakeTimersModern = new ModernFakeTimers({ config, global });
    this.before = { console, exit: process.exit, env: { ...process.env } };
  }

  async setup() {
    this.resources = process.getActiveResourcesInfo();
  }

  async teardown() {
    this.fakeTimers.dispose();
    this.fakeTimersModern.dispose();
    globalThis.console = this.before.console;
    process.exit = this.before.exit;
    for (const name of Object.keys(process.env))
      if (!(name in this.before.env)) delete process.env[name];
    Object.assign(process.env, this.before.env);
    // jest-circus is loaded for each file, and would call the handlers of the files before it.
    for (const key of Object.getOwnPropertySymbols(globalThis))
      if (/JEST_STATE|EVENT_HANDLERS/.test(key.description)) delete globalThis[key];
  }

  async handleTestEvent({ name }, { rootDescribeBlock, unhandledErrors }) {
    if (name === 'teardown') forget(rootDescribeBlock);
    if (name !== 'run_finish') return;
    const open = await openSince(this.resources);
    if (open.length > 0)
      unhandledErrors.push([`The test file left this open:\n  ${open.join('\n  ')}`, '']);
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return globalThis;
  }
};

/**
 * Drops the functions and stacks of a test file that has ended. Jest runs tests and hooks in an AsyncLocalStorage, so
 * a timer or socket that one of them made refers to it for as long as it lives, and through its function to the
 * application of the file: about 6 MB per file.
 */
function forget({ hooks, children }) {
  for (const item of [...hooks, ...children]) {
    if (item.type === 'describeBlock') forget(item);
    delete item.fn;
    delete item.asyncError;
  }
}
