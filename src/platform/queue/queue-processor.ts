import { OnWorkerEvent, WorkerHost } from '@nestjs/bullmq';
import type { OnApplicationBootstrap } from '@nestjs/common';
import type { Job, Queue } from 'bullmq';
import { WORKER_OPTIONS } from './job-options';
import { type QueuePart, QueueState } from './queue-state';

/** For `@Processor(QUEUE, { ...PROCESSOR_OPTIONS, concurrency: … })` of a `QueueProcessor`, which starts its worker. */
export const PROCESSOR_OPTIONS = { ...WORKER_OPTIONS, autorun: false };

/** A processor that knows whether its queue responds, and that can end in order in both cases. */
export abstract class QueueProcessor<Data = unknown>
  extends WorkerHost
  implements OnApplicationBootstrap
{
  private readonly underWay = new Set<Promise<void>>();
  protected readonly state: QueuePart;

  constructor(
    private readonly queueState: QueueState,
    ...queues: Queue[]
  ) {
    super();
    this.state = queueState.part(...queues);
  }

  /**
   * Fetches the first job. @nestjs/bullmq would do so earlier, in `onModuleInit`, where jobs would run in a process of
   * which @nestjs/event-emitter has not yet added the listeners of domain events.
   */
  onApplicationBootstrap(): void {
    this.worker.run().catch((error: Error) => this.onError(error));
  }

  process(job: Job<Data>, token?: string): Promise<void> {
    this.state.works();
    const made = this.run(job, token).finally(() => this.underWay.delete(made));
    this.underWay.add(made);
    return made;
  }

  protected abstract run(job: Job<Data>, token?: string): Promise<void>;

  protected get jobsUnderWay(): number {
    return this.underWay.size;
  }

  /**
   * Waits until the jobs under way have ended; no other begins. To be called before `onApplicationShutdown`: there
   * @nestjs/bullmq closes the worker too, but @nestjs/event-emitter has already removed the listeners of domain events.
   */
  async end(): Promise<void> {
    if (!(await this.queueState.isAway())) return this.worker.close();
    // Else the worker fetches further jobs if the queue comes back meanwhile. This does not wait for the queue.
    await this.worker.pause(true);
    await Promise.allSettled(this.underWay);
    await this.worker.close(true);
  }

  @OnWorkerEvent('error')
  onError(error: Error): void {
    this.state.failed(error);
  }
}
