import './small-limits';
import * as ids from '../../src/platform/text/ids';
import type { LeasedDelivery } from '../../src/webhooks/sending/leases';
import { ACCOUNTS, type SimulatedDatabase } from './database';
import { FAULTS, QUEUE_FAULTS } from './faults';
import { violationsOf, type Violation } from './guarantees';
import { SimulatedQueue } from './queue';
import { BEHAVIOURS, Receivers, type Behaviour } from './receivers';
import { startApi, startWorker, type Api } from './service';
import { SHARE } from './small-limits';
import { SimulatedProcess, World, type Entry } from './world';

/** Faults end here; what follows is the time in which everything must be delivered. Virtual milliseconds. */
const FAULTS_UNTIL = 20_000;
const DELIVERED_WITHIN = 300_000;

/** An endpoint and what its owner did with it. Times are those of the owner's requests. */
export interface KnownEndpoint {
  id: string | null;
  accountId: string;
  url: string;
  secret: string;
  added: { from: number; to: number };
  disabled: { from: number; to: number }[];
  deleted: number | null;
  /** Its receiver never fails. */
  alwaysWell: boolean;
}

/** A change with its event: they commit together, or neither does. */
export interface Change {
  id: string;
  accountId: string;
  from: number;
  /** When the client learned that it is committed; null when it did not. */
  to: number | null;
}

export interface Result {
  seed: number;
  history: Entry[];
  violations: Violation[];
}

/** A slot for a worker: after a kill another process takes it. */
export interface WorkerSlot {
  process: SimulatedProcess;
  stop: (() => Promise<void>) | null;
}

/** One schedule: a small service, its clients and receivers, and what goes wrong. */
export class Schedule {
  readonly world: World;
  readonly queue: SimulatedQueue;
  readonly receivers: Receivers;
  readonly workers: WorkerSlot[] = [];
  readonly endpoints: KnownEndpoint[] = [];
  readonly changes: Change[] = [];
  /** Deliveries that somebody asked to send again. */
  readonly retriedByHand = new Set<string>();
  /** Seen while it ran. */
  readonly seen: Violation[] = [];
  /** Nothing but receivers goes wrong. */
  readonly calm: boolean;
  api!: SimulatedProcess;
  private service: Api | null = null;
  private started = 0;
  private numbered = 0;
  private readonly leases = new Map<SimulatedProcess, Map<string, LeasedDelivery>>();

  constructor(
    seed: number,
    readonly database: SimulatedDatabase,
  ) {
    this.world = new World(seed);
    this.queue = new SimulatedQueue(this.world);
    this.receivers = new Receivers(this.world);
    this.calm = this.world.random.chance(0.3);
  }

  async run(): Promise<Result> {
    const { world, database } = this;
    const { random } = world;
    await database.reset(world);
    (ids as unknown as { forget: () => void }).forget();
    database.onResult = (process, { rows }) => {
      const known = this.leases.get(process);
      for (const row of rows as LeasedDelivery[])
        if (row.token && row.url) known?.set(`${row.url} ${row.eventId}`, row);
    };
    database.onBlocked = (process, text) => {
      if (process === this.api && /sim\.changes|INTO outbox_events/.test(text))
        this.seen.push([7, `A change waited for a lock that something else held: ${text}`]);
    };
    this.startApi();
    for (let count = random.between(1, this.calm ? 2 : 3); count > 0; count--) this.startWorker();
    await this.run1s(() => world.now < 200);
    this.plan();
    await this.run1s(() => world.now < FAULTS_UNTIL);
    this.heal();
    await this.run1s((left) => left && world.now < FAULTS_UNTIL + DELIVERED_WITHIN);
    world.note('the end');
    const violations = [...this.seen, ...(await violationsOf(this))];
    for (const { process } of this.workers) database.kill(process);
    database.kill(this.api);
    return { seed: world.seed, history: world.history, violations };
  }

  startWorker(slot: WorkerSlot = { process: undefined as never, stop: null }): void {
    const process = new SimulatedProcess(this.world, `worker ${++this.started}`);
    this.leases.set(process, new Map());
    if (!this.workers.includes(slot)) this.workers.push(slot);
    Object.assign(slot, { process, stop: null });
    this.world.note(`${process.name} starts`);
    process.deliver(() => {
      const leaseOf = (url: string, id: string) => this.leases.get(process)?.get(`${url} ${id}`);
      startWorker(this, process, leaseOf).then(
        (stop) => (slot.stop = stop),
        // As a supervisor does.
        () => this.world.after(1_000, () => this.killWorker(slot, 0)),
      );
    });
  }

  /** @param restartsAfter milliseconds */
  killWorker(slot: WorkerSlot, restartsAfter: number): void {
    const { process } = slot;
    if (process.state === 'dead') return;
    this.world.note(`${process.name} is killed`);
    this.database.kill(process);
    this.queue.forget(process);
    this.world.after(restartsAfter, () => slot.process === process && this.startWorker(slot));
  }

  startApi(): void {
    this.service = null;
    this.api = new SimulatedProcess(this.world, 'api');
    this.api.deliver(() => {
      startApi(this).then(
        (service) => (this.service = service),
        () => undefined,
      );
    });
  }

  /** A request to the API. What it comes to matters only where it succeeds. */
  request(text: string, work: (api: Api) => Promise<string | void>): void {
    const { api, service } = this;
    if (!service) return;
    api.deliver(() => {
      work(service).then(
        (result) => this.world.note(`${text}${result ? `: ${result}` : ''}`),
        (error: Error) => this.world.note(`${text}: ${error.message}`),
      );
    });
  }

  /** What happens, and when. */
  private plan(): void {
    const { world, calm } = this;
    const { random } = world;
    const at = (run: () => void, from = 1_000, to = FAULTS_UNTIL - 1_000) =>
      world.after(random.between(from, to) - world.now, run);
    const count = random.between(2, 4);
    for (let number = 0; number < count; number++) {
      const account = number < 2 ? number : random.between(0, 1);
      // Those of the second account show whether they are delayed by the first one's.
      const alwaysWell = calm && account === 1;
      if (number < 3) at(() => this.addEndpoint(number, account, alwaysWell), 200, 700);
      else at(() => this.addEndpoint(number, account, alwaysWell));
      if (!alwaysWell)
        for (let changes = random.between(0, 2); changes > 0; changes--)
          at(() => this.setBehaviour(number, random.pick(BEHAVIOURS)), 0);
    }
    const most = random.chance(0.3) ? 30 : 3;
    for (let changes = random.between(3, 6); changes > 0; changes--) {
      const account = random.between(0, 1);
      at(() => this.change(account, random.between(1, account === 0 ? most : 3)));
    }
    if (random.chance(0.3)) at(() => this.disable());
    if (random.chance(0.1)) at(() => this.remove());
    if (random.chance(0.3)) at(() => this.retryByHand());
    const faults = calm ? [] : random.chance(0.3) ? QUEUE_FAULTS : FAULTS;
    for (let left = faults.length && random.between(1, 4); left > 0; left--) {
      const fault = random.pick(faults);
      at(() => fault(this));
    }
  }

  private addEndpoint(number: number, account: number, alwaysWell: boolean): void {
    const url = `http://receiver-${number}.example/`;
    const endpoint: KnownEndpoint = {
      id: null,
      accountId: ACCOUNTS[account] as string,
      url,
      secret: '',
      added: { from: this.world.now, to: Infinity },
      disabled: [],
      deleted: null,
      alwaysWell,
    };
    const { random } = this.world;
    this.setBehaviour(number, alwaysWell || random.chance(0.4) ? 'well' : random.pick(BEHAVIOURS));
    this.endpoints.push(endpoint);
    this.request(`endpoint ${url} is added to account ${account}`, async ({ endpoints }) => {
      const settings = { url, events: ['quiz.created'] };
      const added = await endpoints.add(endpoint.accountId, settings);
      endpoint.id = added.endpoint.id;
      endpoint.secret = added.secret;
      endpoint.added.to = this.world.now;
    });
  }

  private setBehaviour(number: number, behaviour: Behaviour): void {
    const url = `http://receiver-${number}.example/`;
    if (this.receivers.behaviour.get(url) === behaviour) return;
    this.receivers.behaviour.set(url, behaviour);
    this.world.note(`receiver ${url} is ${behaviour}`);
  }

  private change(account: number, count: number): void {
    const { world } = this;
    const accountId = ACCOUNTS[account] as string;
    const isUndone = world.random.chance(0.15);
    const changes = Array.from({ length: count }, (): Change => {
      return { id: `change-${++this.numbered}`, accountId, from: world.now, to: null };
    });
    this.changes.push(...changes);
    this.request(`${count} changes of account ${account}`, async ({ dataSource, outbox }) => {
      await dataSource.transaction(async (tx) => {
        for (const { id } of changes) {
          await tx.query(`INSERT INTO sim.changes VALUES ($1)`, [id]);
          const data = { quiz_id: id, title: 'Größe', category: null, created_by: accountId };
          await outbox.record(tx, 'quiz.created', accountId, data);
        }
        if (isUndone) throw new Error('rolled back');
      });
      for (const change of changes) change.to = world.now;
    });
  }

  private disable(): void {
    const endpoint = this.world.random.pick(this.endpoints.filter(({ id }) => id));
    if (!endpoint?.id) return;
    const { id, url, accountId } = endpoint;
    this.request(`${url} is disabled`, async ({ endpoints }) => {
      await endpoints.disable({ accountId }, id);
      endpoint.disabled.push({ from: this.world.now, to: Infinity });
    });
    if (this.world.random.chance(0.5))
      this.world.after(this.world.random.between(500, 8_000), () => this.enable(endpoint));
  }

  private enable({ id, url, accountId, disabled }: KnownEndpoint): void {
    this.request(`${url} is enabled`, async ({ endpoints }) => {
      const began = this.world.now;
      const close = () => {
        for (const period of disabled)
          period.to = Math.min(period.to, Math.max(period.from, began));
      };
      close();
      await endpoints.enable({ accountId }, id as string);
      // A request to disable it may have ended meanwhile, and this one waited for it.
      close();
    });
  }

  private remove(): void {
    const endpoint = this.world.random.pick(this.endpoints.filter(({ id }) => id));
    if (!endpoint?.id) return;
    const { id, url, accountId } = endpoint;
    endpoint.deleted = Infinity;
    this.request(`${url} is deleted`, async ({ endpoints }) => {
      await endpoints.remove({ accountId }, id);
      endpoint.deleted = this.world.now;
    });
  }

  private retryByHand(): void {
    this.request('a delivery is sent again by hand', async ({ deliveries }) => {
      const found = await deliveries.list('operator', { limit: 50 });
      if (found.length === 0) return 'none';
      const { id } = this.world.random.pick(found);
      this.retriedByHand.add(id);
      await deliveries.retry('operator', id);
      return id;
    });
  }

  /** Everything works from now on. */
  private heal(): void {
    const { world, queue } = this;
    world.note('everything works from now on');
    Object.assign(queue, { away: false, loss: 0, duplication: 0 });
    for (const { process } of this.workers) {
      process.silentUntil = 0;
      process.trap = null;
      process.resume();
    }
    this.api.trap = null;
    for (const url of this.receivers.behaviour.keys()) this.receivers.behaviour.set(url, 'well');
    // Not at once: a 410 that is under way still disables its endpoint.
    for (const delay of [8_000, 40_000])
      world.after(delay, () => {
        for (const endpoint of this.endpoints)
          // A request to delete it may have been lost with the API.
          if (endpoint.id && [null, Infinity].includes(endpoint.deleted)) this.enable(endpoint);
      });
    queue.dispatch();
  }

  /** @param goesOn looked at each virtual second; told whether something is left to be delivered */
  private async run1s(goesOn: (left: boolean) => boolean): Promise<void> {
    for (;;) {
      const { left, most } = await this.database.look();
      if (most > SHARE * Math.max(1, this.started))
        this.seen.push([6, `An account had ${most} attempts of a queue under way at once.`]);
      if (!goesOn(left)) return;
      await this.world.runUntil(this.world.now + 1_000, () => this.database.step());
    }
  }
}
