import type { Job, Queue } from 'bullmq';
import type { DeliveryJob, DeliveryQueue } from '../../src/webhooks/worker/delivery-queues';
import type { SimulatedProcess, World } from './world';

/** A job whose worker has stopped renewing its lock goes to another one. Milliseconds. */
const STALLED_AFTER = [10_000, 15_000] as const;

interface SimulatedJob {
  id: string;
  data: DeliveryJob;
  queue: DeliveryQueue;
}

/** A worker's side of a queue. */
export interface Consumer {
  process: SimulatedProcess;
  queue: DeliveryQueue;
  concurrency: number;
  work: (job: Job<DeliveryJob>) => Promise<unknown>;
  active: Map<string, SimulatedJob>;
  closed: boolean;
  /** Told when a job has ended. */
  onIdle?: () => void;
}

/** The three queues as BullMQ keeps them, and what may become of them. */
export class SimulatedQueue {
  away = false;
  /** Shares of the jobs that are added. */
  loss = 0;
  duplication = 0;
  /** Everything that the queue has ever been told, for the guarantee about receivers' texts. */
  readonly told: unknown[] = [];
  private waiting: SimulatedJob[] = [];
  /** Ids that the queue knows: it takes no second job of the same. */
  private readonly known = new Set<string>();
  private consumers: Consumer[] = [];

  constructor(private readonly world: World) {}

  /** The producer's side, of one process. */
  producer(queue: DeliveryQueue): Queue<DeliveryJob> {
    const addBulk = (jobs: { data: DeliveryJob; opts: { jobId: string } }[]) =>
      this.add(queue, jobs);
    const add = (_: string, data: DeliveryJob, opts: { jobId: string }) =>
      addBulk([{ data, opts }]);
    return { on: () => undefined, add, addBulk } as unknown as Queue<DeliveryJob>;
  }

  consume(consumer: Omit<Consumer, 'active' | 'closed'>): Consumer {
    const one = { ...consumer, active: new Map<string, SimulatedJob>(), closed: false };
    this.consumers.push(one);
    this.dispatch();
    return one;
  }

  /** A worker has died: its jobs stall. */
  forget(process: SimulatedProcess): void {
    for (const consumer of this.consumers.filter((it) => it.process === process)) {
      consumer.closed = true;
      for (const job of consumer.active.values()) this.stall(job);
    }
    this.consumers = this.consumers.filter((it) => it.process !== process);
  }

  /** @param keepsIds the jobs are lost, and the queue goes on knowing their ids */
  empty(keepsIds: boolean): void {
    this.waiting = [];
    if (!keepsIds) this.known.clear();
  }

  dispatch(): void {
    for (const job of [...this.waiting]) {
      const consumers = this.consumers.filter(
        ({ queue, active, concurrency, closed, process }) =>
          queue === job.queue &&
          !closed &&
          process.state === 'running' &&
          active.size < concurrency,
      );
      if (consumers.length === 0) continue;
      this.waiting.splice(this.waiting.indexOf(job), 1);
      this.take(this.world.random.pick(consumers), job);
    }
  }

  private async add(queue: DeliveryQueue, jobs: { data: DeliveryJob; opts: { jobId: string } }[]) {
    this.told.push(jobs);
    const { random } = this.world;
    if (this.away) {
      if (random.chance(0.5)) throw new Error('ECONNREFUSED');
      // A client may keep its commands until the server is back.
      await new Promise(() => undefined);
    }
    for (const { data, opts } of jobs) {
      if (this.known.has(opts.jobId)) continue;
      this.known.add(opts.jobId);
      if (random.chance(this.loss)) continue;
      const job = { id: opts.jobId, data, queue };
      const times = random.chance(this.duplication) ? 2 : 1;
      for (let time = 0; time < times; time++)
        this.world.after(random.between(0, 20), () => {
          this.waiting.push(job);
          this.dispatch();
        });
    }
  }

  private take(consumer: Consumer, job: SimulatedJob): void {
    const { process, active } = consumer;
    active.set(job.id, job);
    process.deliver(() => {
      void consumer.work(job as unknown as Job<DeliveryJob>).then(
        (result) => this.end(consumer, job, result),
        (error: unknown) => this.end(consumer, job, String(error)),
      );
    });
    this.watch(consumer, job);
  }

  private end({ active, onIdle }: Consumer, job: SimulatedJob, result: unknown): void {
    this.told.push(result);
    active.delete(job.id);
    this.known.delete(job.id);
    onIdle?.();
    this.world.after(0, () => this.dispatch());
  }

  /** A worker that is paused for long loses its job, and does not know it. */
  private watch(consumer: Consumer, job: SimulatedJob): void {
    this.world.after(STALLED_AFTER[1], () => {
      if (consumer.active.get(job.id) !== job || consumer.closed) return;
      if (consumer.process.state === 'paused') this.waiting.push(job);
      else this.watch(consumer, job);
    });
  }

  private stall(job: SimulatedJob): void {
    this.world.after(this.world.random.between(...STALLED_AFTER), () => {
      if (!this.known.has(job.id)) return;
      this.waiting.push(job);
      this.dispatch();
    });
  }
}
