import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { Clock } from '../../platform/clock';
import { LIMITS } from '../../platform/limits/limits';
import { LOGGER, type Logger } from '../../platform/observability/logger';
import { Loop } from '../../platform/process/loop';
import { ImportRunnerService } from '../imports/import-runner.service';
import { ImportSweep } from './import-sweep';

const { atATime, smallFile } = LIMITS.imports;

/** Runs imports, some at a time. One place is kept for small files: large ones never take all of them. */
@Injectable()
export class ImportWorker implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly loops: Loop[];
  private stopping = false;
  private progressAt = performance.now();

  constructor(
    private readonly sweep: ImportSweep,
    private readonly runner: ImportRunnerService,
    clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.loops = Array.from(
      { length: atATime.value },
      (_, place) =>
        new Loop(
          logger,
          clock,
          `the running of imports (${place + 1})`,
          1_000,
          () => this.runNext(place === 0 ? smallFile.value : Number.MAX_SAFE_INTEGER),
          // Abandoned, a long import would run beside the next one, and more than `atATime` would run.
          true,
        ),
    );
    this.loops.push(new Loop(logger, clock, 'the pruning of imports', 60_000, () => sweep.prune()));
  }

  onApplicationBootstrap(): void {
    for (const loop of this.loops) loop.start();
  }

  /** Milliseconds since an import was looked for, or something of one was stored. */
  get progressAge(): number {
    return performance.now() - this.progressAt;
  }

  /** Nothing new begins, and what is under way is left to another worker after its chunk. */
  async onModuleDestroy(): Promise<void> {
    this.stopping = true;
    this.runner.stop();
    await Promise.all(this.loops.map((loop) => loop.stop()));
  }

  /** @returns whether there was one */
  private async runNext(largest: number): Promise<boolean> {
    const id = this.stopping ? null : await this.sweep.claimNext(largest);
    this.progressed();
    if (id === null) return false;
    try {
      await this.runner.run(id, () => this.progressed());
      return true;
    } catch (error) {
      // For example the database was away: the import is due again when its lease has run out.
      this.logger.error({ err: error, importId: id }, 'an import was interrupted');
      return false;
    }
  }

  private progressed(): void {
    this.progressAt = performance.now();
  }
}
