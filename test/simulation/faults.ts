import type { Schedule, WorkerSlot } from './schedule';
import { SimulatedProcess } from './world';

type Fault = (schedule: Schedule) => void;

const someWorker = ({ workers, world }: Schedule): WorkerSlot => world.random.pick(workers);

/** Half of the time at once, which mostly meets an idle process; else around one of its next statements. */
function soon({ world }: Schedule, process: SimulatedProcess, spring: () => void): void {
  if (world.random.chance(0.3)) return spring();
  process.trap = {
    statements: world.random.between(0, 30),
    before: world.random.chance(0.5),
    spring,
  };
}

const kill: Fault = (schedule) => {
  const { world } = schedule;
  const slot = someWorker(schedule);
  const after = world.random.between(500, 9_000);
  soon(schedule, slot.process, () => schedule.killWorker(slot, after));
};

const pause: Fault = (schedule) => {
  const { world } = schedule;
  const { process } = someWorker(schedule);
  const length = world.random.between(1_000, 25_000);
  soon(schedule, process, () => {
    world.note(`${process.name} is paused for ${length} ms`);
    process.pause();
    world.after(length, () => process.resume());
  });
};

const silence: Fault = (schedule) => {
  const { world } = schedule;
  const { process } = someWorker(schedule);
  const length = world.random.between(2_000, 30_000);
  soon(schedule, process, () => {
    world.note(`the database connections of ${process.name} are silent for ${length} ms`);
    process.silentUntil = world.now + length;
  });
};

const terminate: Fault = (schedule) => {
  const { world } = schedule;
  const slot = someWorker(schedule);
  const { process, stop } = slot;
  if (!stop) return;
  world.note(`${process.name} gets SIGTERM`);
  process.deliver(() => {
    void stop().then(() => {
      world.note(`${process.name} has stopped`);
      world.after(0, () => schedule.killWorker(slot, 500));
    });
  });
};

const stepClock: Fault = (schedule) => {
  const { world } = schedule;
  const { process } = schedule.world.random.pick(schedule.workers);
  process.skew = world.random.pick([
    -60 * 86_400_000,
    -3_600_000,
    -8_000,
    8_000,
    3_600_000,
    60 * 86_400_000,
  ]);
  world.note(`the clock of ${process.name} is off by ${process.skew / 1_000} s`);
};

const killApi: Fault = (schedule) => {
  soon(schedule, schedule.api, () => {
    schedule.world.note('the API is killed');
    schedule.database.kill(schedule.api);
    schedule.startApi();
  });
};

const loseQueue: Fault = ({ world, queue }) => {
  const length = world.random.between(2_000, 15_000);
  world.note(`the queue is away for ${length} ms`);
  queue.away = true;
  world.after(length, () => (queue.away = false));
};

const emptyQueue: Fault = ({ world, queue }) => {
  const keepsIds = world.random.chance(0.5);
  world.note(`the queue is emptied${keepsIds ? ', but for the ids of its jobs' : ''}`);
  queue.empty(keepsIds);
};

const loseJobs: Fault = ({ world, queue }) => {
  world.note('the queue loses most jobs');
  queue.loss = 0.8;
  world.after(8_000, () => (queue.loss = 0));
};

const duplicateJobs: Fault = ({ world, queue }) => {
  world.note('the queue gives jobs to two workers');
  queue.duplication = 0.5;
};

export const QUEUE_FAULTS = [loseQueue, emptyQueue, loseJobs, duplicateJobs];
export const FAULTS = [
  ...QUEUE_FAULTS,
  kill,
  kill,
  pause,
  pause,
  silence,
  terminate,
  stepClock,
  killApi,
];
