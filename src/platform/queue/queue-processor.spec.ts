import type { Job, Worker } from 'bullmq';
import { QueueProcessor } from './queue-processor';
import type { QueueState } from './queue-state';

/** Its jobs run until `finish`, and it records what is asked of its worker. */
class Processor extends QueueProcessor {
  readonly asked: string[] = [];
  finish!: () => void;

  override get worker(): Worker {
    return {
      pause: (doNotWaitActive: boolean) => this.record(`pause ${doNotWaitActive}`),
      close: (force = false) => this.record(`close ${force}`),
    } as unknown as Worker;
  }

  protected run(): Promise<void> {
    return new Promise((resolve) => (this.finish = resolve));
  }

  private record(what: string): Promise<void> {
    this.asked.push(what);
    return Promise.resolve();
  }
}

const startedWith = (isAway: boolean) => {
  const part = { good: true, failed: () => undefined, works: () => undefined };
  const state = { part: () => part, isAway: () => Promise.resolve(isAway) };
  const processor = new Processor(state as unknown as QueueState);
  const job = processor.process({} as Job);
  return { processor, job };
};

const settled = () => new Promise((resolve) => setImmediate(resolve));

it('a worker that stops while its queue is away fetches no further job, and cuts off none', async () => {
  const { processor, job } = startedWith(true);
  const ended = processor.end();
  await settled();
  expect(processor.asked).toEqual(['pause true']);
  processor.finish();
  await Promise.all([job, ended]);
  expect(processor.asked).toEqual(['pause true', 'close true']);
});

it('a worker that stops while its queue responds closes in order', async () => {
  const { processor } = startedWith(false);
  await processor.end();
  expect(processor.asked).toEqual(['close false']);
});
