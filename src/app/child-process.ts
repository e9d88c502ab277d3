import { type ChildProcess, fork } from 'node:child_process';
import { extname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Config, environment } from '../platform/config/config';
import { StartupError } from '../platform/errors/domain-errors';
import type { Logger } from '../platform/observability/logger';
import type { Started } from '../platform/process/process';

/** Longer than a process takes to drain (platform/process/process.ts). */
const STOP_WITHIN = 28_000;
/** Milliseconds before a restart: twice as many each time, until the process has run for a minute. */
const [FIRST_PAUSE, LONGEST_PAUSE, STEADY_AFTER] = [1_000, 30_000, 60_000];

interface Options {
  /** Settings that differ from those of this process. */
  settings?: Record<string, string>;
  /** Creates the process in another way, with settings of its own. */
  fork?: () => ChildProcess;
}

/**
 * The settings of a child process: it is one process, and its metrics have a port of their own, counted up from
 * METRICS_PORT.
 */
export function settingsOf({ metrics }: Config, place: number): Record<string, string> {
  const API_PROCESSES = '1';
  if (!metrics?.port) return { API_PROCESSES };
  const host = metrics.host.includes(':') ? `[${metrics.host}]` : metrics.host;
  return { API_PROCESSES, METRICS_PORT: `${host}:${metrics.port + place}` };
}

/** A child process of the service. It is restarted, with growing pauses, whenever it exits. */
export class ServiceProcess {
  /** Resolves when the process is ready; rejects when its first start fails (it has logged the reason by then). */
  readonly started: Promise<Started>;
  /** Whether it is ready at present. */
  private serves = false;
  private child: ChildProcess | undefined;
  private stopping = false;
  private pause = FIRST_PAUSE;

  constructor(
    /** The name of a file in `bin`, without its extension. */
    private readonly script: string,
    private readonly logger: Logger,
    private readonly options: Options = {},
  ) {
    this.started = this.run();
  }

  async stop(): Promise<void> {
    this.stopping = true;
    const { child } = this;
    if (!child || hasEnded(child)) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN);
    await ended;
    clearTimeout(timer);
  }

  private async run(): Promise<Started> {
    const begun = performance.now();
    const child = (this.options.fork ?? this.fork)();
    this.child = child;
    return new Promise((resolve, reject) => {
      child.on('message', (message) => {
        this.serves = true;
        resolve(message as Started);
      });
      const end = (reason: string) => {
        if (!this.serves)
          return reject(new ProcessFailed(`${this.script} could not start (${reason}).`));
        this.serves = false;
        if (performance.now() - begun > STEADY_AFTER) this.pause = FIRST_PAUSE;
        void this.restart(`${this.script} ended (${reason}).`);
      };
      child.once('exit', (code, signal) => end(signal ?? `code ${code}`));
      // The system could not start it, for example for lack of memory.
      child.once('error', (error) => child.pid === undefined && end(error.message));
    });
  }

  private readonly fork = (): ChildProcess =>
    // A process group of its own: a terminal's Ctrl-C reaches this process only, which stops the others in order.
    // They notice by the closed channel when this process ends, even by kill -9.
    fork(join(__dirname, '../bin', `${this.script}${extname(__filename)}`), {
      detached: true,
      env: { ...environment(), ...this.options.settings },
    });

  private async restart(reason: string): Promise<void> {
    while (!this.stopping) {
      this.logger.error(`${reason} It restarts in ${this.pause} ms.`);
      const { pause } = this;
      this.pause = Math.min(2 * pause, LONGEST_PAUSE);
      await sleep(pause);
      if (this.stopping) return;
      try {
        await this.run();
        return;
      } catch (error) {
        reason = (error as Error).message;
      }
    }
  }
}

const hasEnded = ({ pid, exitCode, signalCode }: ChildProcess): boolean =>
  pid === undefined || exitCode !== null || signalCode !== null;

/** A child process did not start; it has logged the reason itself. */
class ProcessFailed extends StartupError {}
