import { InjectQueue, Processor } from '@nestjs/bullmq';
import { type BeforeApplicationShutdown, Inject, type OnModuleDestroy } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import type { Job, Queue } from 'bullmq';
import { LOGGER, type Logger } from '../observability/logger';
import { StateLog } from '../state-log';
import { within } from '../within';
import { JOB_OPTIONS } from './job-options';
import { SCHEDULED_TASKS } from './queue-names';
import { PROCESSOR_OPTIONS, QueueProcessor } from './queue-processor';
import { QueueState } from './queue-state';
import { type Schedule, Scheduled } from './scheduled';

interface Task extends Schedule {
  run(): Promise<unknown>;
  state: StateLog;
}

type Provider = ReturnType<DiscoveryService['getProviders']>[number];

/** Keeps the job schedulers of all `@Scheduled` methods in the queue, and runs their jobs. */
@Processor(SCHEDULED_TASKS, { ...PROCESSOR_OPTIONS, concurrency: 20 })
export class ScheduledTasks
  extends QueueProcessor
  implements OnModuleDestroy, BeforeApplicationShutdown
{
  private readonly tasks = new Map<string, Task>();
  private readonly running = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private stopping = false;

  constructor(
    @InjectQueue(SCHEDULED_TASKS) private readonly queue: Queue,
    private readonly discovery: DiscoveryService,
    private readonly methods: MetadataScanner,
    @Inject(LOGGER) private readonly logger: Logger,
    queueState: QueueState,
  ) {
    super(queueState, queue);
  }

  /** Jobs may be due already: the tasks are known before the first one is fetched. */
  override onApplicationBootstrap(): void {
    for (const provider of this.discovery.getProviders()) this.addTasksOf(provider);
    super.onApplicationBootstrap();
    this.register();
    // The queue may be emptied under a running worker.
    this.timer = setInterval(() => this.register(), REGISTER_EVERY).unref();
  }

  onModuleDestroy(): void {
    this.stopping = true;
    clearInterval(this.timer);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.end();
  }

  /** A task that is still running in this worker is not started a second time. */
  protected async run({ name }: Job): Promise<void> {
    const task = this.tasks.get(name);
    // Of a task that this version lacks. A running worker of a version that has it adds the scheduler again.
    if (!task) await this.queue.removeJobScheduler(name);
    if (!task || this.running.has(name)) return;
    this.running.add(name);
    try {
      while (!this.stopping) {
        const isMore = (await task.run()) === true;
        task.state.works();
        if (!isMore) break;
      }
    } catch (error) {
      task.state.failed(error);
      throw error;
    } finally {
      this.running.delete(name);
    }
  }

  private addTasksOf(provider: Provider): void {
    const instance: unknown = provider.instance;
    if (typeof instance !== 'object' || instance === null) return;
    for (const method of this.methods.getAllMethodNames(
      Object.getPrototypeOf(instance) as object,
    )) {
      const schedule = this.discovery.getMetadataByDecorator(Scheduled, provider, method);
      if (!schedule) continue;
      const run = () => (instance as Record<string, () => Promise<unknown>>)[method]!();
      if (this.tasks.has(schedule.name))
        throw new Error(`Two scheduled tasks have the name ${schedule.name}.`);
      this.tasks.set(schedule.name, {
        ...schedule,
        run,
        state: new StateLog(this.logger, schedule.name),
      });
    }
  }

  private register(): void {
    within(REGISTER_EVERY, this.registerMissing()).then(
      () => this.state.works(),
      (error: unknown) => this.state.failed(error),
    );
  }

  private async registerMissing(): Promise<void> {
    const known = new Map((await this.queue.getJobSchedulers()).map((it) => [it.key, it]));
    for (const { name, every } of this.tasks.values()) {
      const scheduler = known.get(name);
      // One whose next run is long overdue has lost its job.
      const isAlive = (scheduler?.next ?? 0) > Date.now() - every - OVERDUE;
      if (scheduler && Number(scheduler.every) === every && isAlive) continue;
      await this.queue.upsertJobScheduler(name, { every }, { name, opts: TASK_OPTIONS });
    }
  }
}

/** Administrators see in the queues of the dashboard why tasks have failed lately. */
const TASK_OPTIONS = { ...JOB_OPTIONS, removeOnFail: { count: 100 } };

/** Milliseconds. */
const REGISTER_EVERY = 10_000;
const OVERDUE = 120_000;
