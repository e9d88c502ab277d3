import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { environment } from '../platform/config/environment';
import type { Logger } from '../platform/observability/logger';
import type { Started } from '../platform/process/process';
import { StartFault } from '../platform/errors/startup-error';

/** Longer than a process takes to drain (platform/process.ts). */
const STOP_WITHIN = 28_000;

/** A process of the service that `npm start` runs, and starts again if it ends by itself. */
export class ServiceProcess {
  /** Resolves when the process serves; rejects when its first start fails (it has said why by then). */
  readonly started: Promise<Started>;
  private child!: ChildProcess;
  private stopping = false;

  constructor(
    private readonly script: string,
    private readonly logger: Logger,
    /** What this process gets other settings for than we have. */
    private readonly settings: Record<string, string> = {},
  ) {
    this.started = this.run();
  }

  async stop(): Promise<void> {
    this.stopping = true;
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), STOP_WITHIN);
    await ended;
    clearTimeout(timer);
  }

  private run(): Promise<Started> {
    // A process group of its own: a terminal's Ctrl-C reaches this process only, which stops the others in
    // order. The channel tells them when this process is gone, even by kill -9.
    const child = fork(join(__dirname, '../bin', this.script), {
      detached: true,
      env: { ...environment(), ...this.settings },
    });
    this.child = child;
    return new Promise((resolve, reject) => {
      let serves = false;
      child.once('message', (ready) => {
        serves = true;
        resolve(ready as Started);
      });
      child.once('exit', (code, signal) => {
        if (!serves) reject(new ProcessFailed(`${this.script} could not start.`));
        else if (!this.stopping) void this.restart(signal ?? `code ${code}`);
      });
    });
  }

  private async restart(reason: string): Promise<void> {
    this.logger.error(`${this.script} ended (${reason}) and is started again`);
    await sleep(1_000);
    if (!this.stopping) await this.run().catch(() => this.restart('it could not start'));
  }
}

/** A process of ours did not start; it has told the reason itself. */
export class ProcessFailed extends StartFault {}
