import { type ChildProcess, fork } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { atTheEnd } from './cleanup';
import { hold } from './until';

/** The repository; what is started is what `npm run build` made of it. */
export const ROOT = join(__dirname, '../../..');

/** Ticks of /proc/PID/stat in a second: 100 on every Linux that is left. */
const TICKS = 100;

/** The API or the webhook worker. */
export type Script = 'api.js' | 'worker.js';

/** A real process of the service, which can be killed at any moment. */
export class ServiceProcess {
  private readonly ended: Promise<number | string>;

  private constructor(
    private readonly child: ChildProcess,
    readonly script: Script,
    /** Of the API. */
    readonly port: number,
  ) {
    this.ended = endOf(child);
  }

  /**
   * Starts a process and waits until it says that it is ready.
   * @param log file that its output is added to
   * @param execArgv for Node
   */
  static async start(
    script: Script,
    env: Record<string, string>,
    log: string,
    execArgv: string[] = [],
  ): Promise<ServiceProcess> {
    const output = openSync(log, 'a');
    const child = fork(join(ROOT, 'dist/bin', script), {
      // Nothing of the settings of the person who runs the harness.
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
      execArgv,
      stdio: ['ignore', output, output, 'ipc'],
    });
    closeSync(output);
    const forget = atTheEnd(() => child.kill('SIGKILL'));
    child.once('exit', forget);
    const ready = new Promise<{ port?: number }>((resolve, reject) => {
      child.once('message', (message) => resolve(message as { port?: number }));
      child.once('exit', (code) => reject(new Error(`${script} ended (${code}): see ${log}`)));
    });
    const { port = 0 } = await ready;
    return new ServiceProcess(child, script, port);
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get runs(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** SIGKILL; resolves when it is gone. A frozen process dies of it too. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }

  /** SIGTERM. @returns its exit code, or the signal that ended it */
  stop(): Promise<number | string> {
    this.child.kill('SIGTERM');
    return this.ended;
  }

  /** SIGSTOP: not a step further, with every connection open. */
  freeze(): void {
    hold(this.child.kill('SIGSTOP'), 'the process could not be frozen');
  }

  /** SIGCONT. */
  thaw(): void {
    this.child.kill('SIGCONT');
  }

  /** Of a process with skewed-clock.cjs: its wall clock steps. */
  stepClock(): void {
    hold(this.child.kill('SIGUSR2'), 'the clock could not be stepped');
  }

  /** Resident memory in MiB; Linux only. */
  memory(): number {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
  }

  /** Processor time used so far, in milliseconds; Linux only. */
  cpu(): number {
    const fields = readFileSync(`/proc/${this.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS;
  }
}

function endOf(child: ChildProcess): Promise<number | string> {
  return new Promise((resolve) => {
    const done = (code: number | null, signal: string | null) => resolve(code ?? signal ?? '');
    if (child.exitCode !== null || child.signalCode !== null)
      done(child.exitCode, child.signalCode);
    else child.once('exit', done);
  });
}
