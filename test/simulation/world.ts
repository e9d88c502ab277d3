import { AsyncLocalStorage } from 'node:async_hooks';
import { Random } from './random';

/** When every schedule begins. */
export const BEGINNING = Date.UTC(2026, 0, 1);

/** A line of a schedule's history. */
export interface Entry {
  at: number;
  text: string;
}

interface Timer {
  at: number;
  process: SimulatedProcess | null;
  run: () => void;
}

/** One process of the service. Whatever it waits for comes through `deliver`, so it can be paused and killed. */
export class SimulatedProcess {
  state: 'running' | 'paused' | 'dead' = 'running';
  /** How far the clock of its machine is off, in milliseconds. */
  skew = 0;
  /** Until then, its packets to the database are lost. */
  silentUntil = 0;
  /** Done around one of its next statements: the exact moments at which a crash hurts. */
  trap: { statements: number; before: boolean; spring: () => void } | null = null;
  private mailbox: (() => void)[] = [];

  constructor(
    readonly world: World,
    readonly name: string,
  ) {}

  /** Runs code of the process, or something that it waits for. */
  deliver(run: () => void): void {
    if (this.state === 'paused') this.mailbox.push(run);
    if (this.state === 'running') current.run(this, run);
  }

  pause(): void {
    if (this.state === 'running') this.state = 'paused';
  }

  resume(): void {
    if (this.state !== 'paused') return;
    this.state = 'running';
    for (const run of this.mailbox.splice(0)) this.deliver(run);
  }

  /** Nothing of it ever goes on. */
  end(): void {
    this.state = 'dead';
    this.mailbox = [];
    this.world.forget(this);
  }
}

/** Virtual time, chance, and the order in which things happen. */
export class World {
  /** Milliseconds since the beginning. */
  now = 0;
  readonly history: Entry[] = [];
  readonly random: Random;
  private timers: Timer[] = [];
  private immediates: Timer[] = [];

  constructor(readonly seed: number) {
    this.random = new Random(seed);
  }

  note(text: string): void {
    this.history.push({ at: this.now, text });
  }

  after(delay: number, run: () => void, process: SimulatedProcess | null = null): Timer {
    const timer = { at: this.now + Math.max(0, delay), process, run };
    // Behind those of the same time.
    const place = this.timers.findIndex(({ at }) => at > timer.at);
    this.timers.splice(place < 0 ? this.timers.length : place, 0, timer);
    return timer;
  }

  soon(run: () => void, process: SimulatedProcess): Timer {
    const timer = { at: this.now, process, run };
    this.immediates.push(timer);
    return timer;
  }

  cancel(timer: Timer): void {
    this.timers = this.timers.filter((it) => it !== timer);
    this.immediates = this.immediates.filter((it) => it !== timer);
  }

  forget(process: SimulatedProcess): void {
    this.timers = this.timers.filter((it) => it.process !== process);
    this.immediates = this.immediates.filter((it) => it.process !== process);
  }

  /**
   * Lets everything happen until a moment, one thing at a time.
   * @param statement executes one statement of those that the processes have sent; false when there is none
   */
  async runUntil(end: number, statement: () => Promise<boolean>): Promise<void> {
    for (;;) {
      // What was delivered runs until it waits for something of the world's.
      await new Promise<void>((resolve) => real.setImmediate(resolve));
      const isDue = this.timers[0] && this.timers[0].at <= this.now;
      const next = this.immediates.shift() ?? (isDue ? this.timers.shift() : undefined);
      if (next) {
        this.fire(next);
        continue;
      }
      if (await statement()) continue;
      const { at = Infinity } = this.timers[0] ?? {};
      if (at > end) break;
      this.now = Math.max(this.now, at);
    }
    this.now = Math.max(this.now, end);
  }

  private fire({ process, run }: Timer): void {
    if (process) process.deliver(run);
    else run();
  }
}

const current = new AsyncLocalStorage<SimulatedProcess>();

/** The process whose code runs; undefined in the simulator's own. */
export const currentProcess = () => current.getStore();

export const real = {
  setImmediate: globalThis.setImmediate,
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  now: Date.now,
};

/** A virtual timer as Node's look. */
class TimerHandle {
  constructor(
    readonly world: World,
    public timer: Timer,
  ) {}

  ref = () => this;
  unref = () => this;
}

/** Gives the code of simulated processes the world's time and chance, and all other code the real ones. */
export function virtualiseTime(): void {
  type Run = (...values: unknown[]) => void;
  const replace = (target: object, name: string, virtual: (p: SimulatedProcess) => Run) => {
    const methods = target as Record<string, Run>;
    const original = methods[name] as Run;
    methods[name] = function (this: unknown, ...values: unknown[]) {
      const process = currentProcess();
      return process ? virtual(process)(...values) : original.apply(this, values);
    };
  };
  const start = (process: SimulatedProcess, run: Run, delay: number, repeat: boolean) => {
    const { world } = process;
    const handle = new TimerHandle(
      world,
      world.after(
        delay,
        function fire() {
          if (repeat) handle.timer = world.after(delay, fire, process);
          run();
        },
        process,
      ),
    );
    return handle;
  };
  replace(globalThis, 'setTimeout', (p) => (run, ms) => start(p, run as Run, Number(ms), false));
  replace(globalThis, 'setInterval', (p) => (run, ms) => start(p, run as Run, Number(ms), true));
  replace(
    globalThis,
    'setImmediate',
    (p) =>
      (run, ...values) =>
        p.world.soon(() => (run as Run)(...values), p),
  );
  for (const name of ['clearTimeout', 'clearInterval'])
    replace(globalThis, name, ({ world }) => (handle) => {
      if (handle instanceof TimerHandle) world.cancel(handle.timer);
    });
  replace(process.getBuiltinModule('node:timers/promises'), 'setTimeout', (p) => (ms, value) => {
    return new Promise((resolve) => start(p, () => resolve(value), Number(ms), false));
  });
  replace(
    Date,
    'now',
    ({ world, skew }) =>
      () =>
        BEGINNING + world.now + skew,
  );
  replace(
    performance,
    'now',
    ({ world }) =>
      () =>
        world.now,
  );
  replace(
    Math,
    'random',
    ({ world }) =>
      () =>
        world.random.next(),
  );
  const hex = ({ random }: World, digits: number) =>
    Array.from({ length: digits }, () => random.between(0, 15).toString(16)).join('');
  const crypto = process.getBuiltinModule('node:crypto');
  replace(
    crypto,
    'randomInt',
    ({ world }) =>
      (below) =>
        world.random.between(0, Number(below) - 1),
  );
  replace(crypto, 'randomUUID', ({ world }) => () => {
    return `${hex(world, 8)}-${hex(world, 4)}-4${hex(world, 3)}-8${hex(world, 3)}-${hex(world, 12)}`;
  });
}
