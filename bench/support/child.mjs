import { fork } from 'node:child_process';
import { on, once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A process of ours that answers each message with one. */
export class Child {
  #script;
  #process;
  #messages;

  /**
   * Resolves with the process and its first message.
   * @param script relative to bench/
   */
  static async start(script, { env = {}, execArgv = [], stdio } = {}) {
    const child = new Child();
    child.#script = script;
    const path = fileURLToPath(new URL(`../${script}`, import.meta.url));
    child.#process = fork(path, { env: { ...process.env, ...env }, execArgv, stdio });
    child.#messages = on(child.#process, 'message', { close: ['exit'] });
    return { child, first: await child.answer() };
  }

  get pid() {
    return this.#process.pid;
  }

  /** Sends a message and resolves with the answer. */
  ask(message) {
    // With a callback, sending to a process that has ended emits no 'error' event: answer() rejects.
    this.#process.send(message, () => undefined);
    return this.answer();
  }

  /** Resolves with the next message; rejects when the process ends instead. */
  async answer() {
    const { value, done } = await this.#messages.next();
    if (done) throw new Error(`${this.#script} ended too early.`);
    return value[0];
  }

  stop() {
    return this.#end('SIGTERM');
  }

  /** By kill -9. */
  kill() {
    return this.#end('SIGKILL');
  }

  get ended() {
    const { exitCode, signalCode } = this.#process;
    return exitCode !== null || signalCode !== null;
  }

  async #end(signal) {
    if (this.ended) return;
    this.#process.kill(signal);
    await once(this.#process, 'exit');
  }
}
