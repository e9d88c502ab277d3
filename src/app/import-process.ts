import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Finding, HealthCheck } from '../platform/health/readiness.service';
import { LIMITS } from '../platform/limits/limits';
import { LOGGER, type Logger } from '../platform/observability/logger';
import { Metrics } from '../platform/observability/metrics';
import { ServiceProcess } from './child-process';
import { Heartbeat } from '../webhooks/worker/liveness';

/** What the import process reports to its worker every second. */
export interface ImportProcessReport {
  /** Milliseconds since it last looked for imports or stored a part of one. */
  progressAge: number;
  /** Bytes, of the whole process. */
  memory: number;
}

/** Milliseconds. A hostile file may be read for a while without yielding a row. */
const STALLED_AFTER = 60_000;
const MEBIBYTE = 1_048_576;

/**
 * Runs imports in a child process of the worker, so that webhooks keep their computing time and memory. If the child
 * exits, it is restarted and continues the imports that were running.
 */
@Injectable()
export class ImportProcess implements HealthCheck, OnModuleInit {
  readonly name = 'imports';
  private process: ServiceProcess | undefined;

  constructor(
    private readonly metrics: Metrics,
    private readonly heartbeat: Heartbeat,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    const gauge = (name: string, help: string, look: () => Record<string, number>) =>
      this.metrics.gauge(`quiz_import_process_${name}`, help, null, look);
    gauge('up', 'Whether the import process runs and makes progress', () => ({
      '': this.look().state === 'up' ? 1 : 0,
    }));
    gauge(
      'progress_age_seconds',
      'Time since the import process last looked for imports or stored something of one',
      () => this.reported((report, age) => (age + report.progressAge) / 1_000),
    );
    gauge('resident_memory_bytes', 'Memory of the import process', () =>
      this.reported(({ memory }) => memory),
    );
    gauge('restarts', 'How often the import process has exited since the worker started', () => ({
      '': this.process?.restarts ?? 0,
    }));
  }

  start(): void {
    const heap = LIMITS.imports.processMemory.value / MEBIBYTE;
    this.process = new ServiceProcess('imports', this.logger, {
      execArgv: [`--max-old-space-size=${heap}`],
      retriesFirstStart: true,
    });
    this.heartbeat.importsRun = () => this.look().effect === undefined;
  }

  async stop(): Promise<void> {
    await this.process?.stop();
  }

  look(): Finding {
    if (!this.process?.serves) return DOWN;
    const { '': age = 0 } = this.reported((report, reportAge) => reportAge + report.progressAge);
    return age > STALLED_AFTER ? STALLED : { state: 'up' };
  }

  /** Empty before the first report. */
  private reported(
    value: (report: ImportProcessReport, age: number) => number,
  ): Record<string, number> {
    const last = this.process?.lastMessage;
    if (!last) return {};
    return { '': value(last.message as ImportProcessReport, performance.now() - last.at) };
  }
}

const DOWN: Finding = {
  state: 'down',
  effect: 'degraded',
  note: 'The import process does not run: imports wait until it has been started again.',
};
const STALLED: Finding = {
  state: 'stalled',
  effect: 'degraded',
  note: 'The import process makes no progress: imports wait.',
};
