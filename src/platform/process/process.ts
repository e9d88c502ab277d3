import { readFileSync } from 'node:fs';
import { type Config, configFromEnvironment, environment } from '../config/config';
import { misspelledSettings } from '../config/settings';
import type { StartupError } from '../errors/domain-errors';
import { createLogger, type Logger, logOutput } from '../observability/logger';
import { explain } from './explain';
import { endStart } from './small-heap';

/** A process that has started. */
export interface RunningProcess {
  /** Finishes the work in progress and releases everything. */
  stop(): Promise<void>;
  /** What the parent process is told, for example the port. */
  ready?: object;
  /** Prints that it runs; not called if it was told to stop before. */
  announce?(): void;
  /** Resolves when it cannot continue: the process stops, prints the reason and exits 1. */
  broken?: Promise<StartupError>;
}

/** Starts a process. @param signal aborted when the process is told to stop: what the start waits for may never come */
export type Start = (
  config: Config,
  logger: Logger,
  signal: AbortSignal,
) => Promise<RunningProcess>;

/** The message of a started process to its parent. */
export interface Started {
  port?: number;
}

/** Milliseconds after which a stop no longer waits for requests in progress. */
const DRAIN_WITHIN = 25_000;

/**
 * Runs a process of the service until it is told to stop: by a signal, or by the end of its parent process.
 * A start that fails prints the reason and exits 1.
 */
export function runProcess(name: string, start: Start, stopWithin = DRAIN_WITHIN): void {
  let logger: Logger;
  let running: Promise<RunningProcess>;
  const stopRequest = new AbortController();
  try {
    const config = configFromEnvironment();
    logger = createLogger(config.logLevel, logOutput(), name);
    warnOfMisspellings(logger);
    running = start(config, logger, stopRequest.signal);
  } catch (error) {
    fail(error);
    return;
  }
  const lifecycle = new Lifecycle(name, logger, running, stopRequest, stopWithin);
  lifecycle.stopWhenTold();
  lifecycle.followStart();
}

/** A process started by `npm start` shares its environment: one warning is enough. */
function warnOfMisspellings(logger: Logger): void {
  if (process.send) return;
  for (const warning of misspelledSettings(environment())) logger.warn(warning);
}

/** What happens to a process from the call of its start to its exit. */
class Lifecycle {
  private phase: 'starting' | 'running' | 'stopping' = 'starting';

  constructor(
    private readonly name: string,
    private readonly logger: Logger,
    private readonly running: Promise<RunningProcess>,
    private readonly stopRequest: AbortController,
    private readonly stopWithin: number,
  ) {}

  stopWhenTold(): void {
    process.on('uncaughtException', (error) => {
      this.logger.fatal({ err: error }, `${this.name}: uncaught error`);
      process.exit(1);
    });
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.on(signal, () => void this.stop(signal));
    // The parent process has exited, for whatever reason: stop too.
    process.on('disconnect', () => void this.stop('parent ended'));
    stopWithNpm(() => void this.stop('npm ended'));
  }

  followStart(): void {
    this.running.then(
      (started) => this.started(started),
      (error: unknown) => {
        if (this.phase !== 'stopping') fail(error);
      },
    );
  }

  private started(started: RunningProcess): void {
    endStart();
    void started.broken?.then((error) => {
      process.stderr.write(`${explain(error)}\n`);
      void this.stop('an error', 1);
    });
    // To a parent that has exited, or is exiting, sending would be an uncaught error, which ends the orderly stop.
    if (process.connected) process.send?.(started.ready ?? {}, () => undefined);
    if (this.phase === 'stopping') return;
    this.phase = 'running';
    started.announce?.();
  }

  private async stop(reason: string, exitCode = 0): Promise<void> {
    if (this.phase === 'stopping') return;
    const isEarly = this.phase === 'starting';
    this.phase = 'stopping';
    // The parent logs that its child processes stop.
    this.logger[process.send ? 'debug' : 'info'](`${this.name}: ${reason}, stopping`);
    setTimeout(() => process.exit(1), this.stopWithin).unref();
    this.stopRequest.abort();
    await this.release();
    // The parent says it once for all.
    if (isEarly && !process.send)
      process.stderr.write(`${this.name}: stopped before it was ready. It can be started again.\n`);
    process.exit(exitCode);
  }

  private async release(): Promise<void> {
    // A terminal's Ctrl-C also reaches what the start was waiting for: not an error worth printing.
    const started = await this.running.catch((error: unknown) =>
      this.logger.debug({ err: error }, `${this.name}: the start was aborted`),
    );
    try {
      await started?.stop();
    } catch (error) {
      this.logger.error({ err: error }, `${this.name}: stopping failed`);
      process.exit(1);
    }
  }
}

/**
 * npm passes a signal to the shell that started this process, and the shell may exit without passing it on (Debian's
 * does); a killed npm leaves both running. Without this function, stopping `npm run start:api` would leave the API
 * running, and `kill -9` of `npm start` a service that holds DATA_DIR.
 */
function stopWithNpm(stop: () => void): void {
  if (!environment().npm_lifecycle_event || process.send) return;
  const { ppid } = process;
  let npm = parentOfShell(ppid);
  const hasEnded = () => {
    const now = parentOfShell(ppid);
    npm ??= now;
    return process.ppid !== ppid || (now !== undefined && now !== npm);
  };
  setInterval(() => hasEnded() && stop(), 500).unref();
}

/**
 * The parent of a shell that runs npm's script. Undefined without /proc, if reading fails (too many open files), and if
 * `pid` is npm: its own parent may exit, as that of a closed terminal does, and the service goes on.
 */
function parentOfShell(pid: number): string | undefined {
  const { npm_lifecycle_script: script } = environment();
  try {
    if (!script || !readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(script)) return undefined;
    return /^PPid:\t(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}

/** Prints why the start failed, in one line if it is a reason that people can fix, and exits 1. */
function fail(error: unknown): void {
  process.stderr.write(`${explain(error)}\n`);
  process.exit(1);
}
