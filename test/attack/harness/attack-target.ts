import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { SessionsService } from '../../../src/access/sessions/sessions.service';
import type { Fixture, Subscriber } from '../../faults/harness/fixture';
import type { ServiceProcess } from '../../faults/harness/service-process';
import { hold, until } from '../../faults/harness/until';
import { Attacker, type Flood, type Statuses } from './attacker';
import { Bystander, p99, type Times } from './bystander';

/** What others may notice of an attack at the 99th percentile, in milliseconds, on two cores of its own. */
const MOST = { lists: 250, deliveries: 2_000 };
/** Where they notice more than this without an attack, the machine is busy otherwise. */
const QUIET = { lists: 50, deliveries: 1_000 };

/** Others noticed too much: worth a second measurement, since a machine may be busy for a moment. */
export class TooSlow extends Error {}

/** MiB that a process may grow by; three files are read at a time, each with 256 MiB at most. */
const GROWTH = 400;

/** The processes that are attacked, and the people who use them meanwhile. All cases share one. */
export class AttackTarget {
  private constructor(
    readonly fixture: Fixture,
    readonly api: ServiceProcess,
    private readonly bystander: Bystander,
    /** What is noticed without an attack. */
    private readonly quiet: string,
  ) {}

  static async open(fixture: Fixture): Promise<AttackTarget> {
    const api = await fixture.api();
    await fixture.worker();
    const bystander = new Bystander(fixture, api.port, await fixture.subscriber());
    await bystander.beside(() => sleep(2_000));
    let times = await bystander.beside(() => sleep(3_000));
    if (!within(times, QUIET)) {
      process.stdout.write(`The machine is busy (without an attack: ${timesInWords(times)}).\n`);
      times = await bystander.beside(() => sleep(10_000));
    }
    return new AttackTarget(fixture, api, bystander, timesInWords(times));
  }

  /** Descriptors that the API has open. */
  get descriptors(): number {
    return readdirSync(`/proc/${this.api.pid}/fd`).length;
  }

  /** @returns the figures as text. @throws Error when others notice too much, or a process grows too much */
  async beside(task: () => Promise<unknown>): Promise<string> {
    const worker = await this.fixture.worker();
    const [ofApi, ofWorker] = [this.api, worker].map(growth) as [Growth, Growth];
    const cpu = worker.cpu();
    const begun = performance.now();
    const times = await this.bystander.beside(task).finally(() => (ofApi.end(), ofWorker.end()));
    const share = ((worker.cpu() - cpu) / (performance.now() - begun)) * 100;
    const figures = [
      `${timesInWords(times)} (quiet ${this.quiet})`,
      `${times.refused} of ${times.lists.length} refused`,
      `API ${ofApi.end()} MiB more, worker ${ofWorker.end()} MiB more and ${share.toFixed(0)} % of a processor`,
    ].join('; ');
    if (!within(times, MOST)) throw new TooSlow(`too slow: ${figures}`);
    hold(Math.max(ofApi.end(), ofWorker.end()) <= GROWTH, `too much memory: ${figures}`);
    return figures;
  }

  /** Waits until the processes have done what an attack left them to do. */
  async idle(): Promise<void> {
    const worker = await this.fixture.worker();
    await until('idle processes', async () => {
      const before = this.api.cpu() + worker.cpu();
      await sleep(500);
      return this.api.cpu() + worker.cpu() - before < 50;
    });
  }

  /** A flood beside the bystanders. @returns the figures, and the statuses that the flood was answered with */
  async flood(attack: Omit<Flood, 'kind'>, ms: number): Promise<[string, Statuses]> {
    let statuses: Statuses = {};
    const figures = await this.beside(async () => {
      const attacker = await Attacker.start(this.api.port, { kind: 'flood', ...attack });
      await sleep(ms);
      statuses = await attacker.look();
      attacker.end();
    });
    return [`${figures}; the flood got ${inWords(statuses)}`, statuses];
  }

  /** Sends each once, some at a time. @returns the statuses */
  async send(requests: Flood['requests'], connections = 4, addresses = 200): Promise<Statuses> {
    const flood = { kind: 'flood', requests, connections, addresses, once: true } as const;
    return (await Attacker.start(this.api.port, flood)).done();
  }

  /** Headers of a browser that is signed in. */
  async signedIn({ accountId }: Subscriber): Promise<Record<string, string>> {
    const sessions = this.fixture.services.get(SessionsService, { strict: false });
    const browser = { userAgent: 'Firefox/130 Linux', address: '127.0.0.1' };
    const cookie = `quiz_session=${await sessions.start(accountId, browser)}`;
    return { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' };
  }
}

const within = ({ lists, deliveries, refused }: Times, most: typeof MOST) =>
  p99(lists) <= most.lists && p99(deliveries) <= most.deliveries && refused <= lists.length / 20;

interface Growth {
  end(): number;
}

/** MiB that a process grows by at most. */
function growth(process: ServiceProcess): Growth {
  const before = process.memory();
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, process.memory())), 200);
  return {
    end() {
      clearInterval(timer);
      return Math.round(most - before);
    },
  };
}

const inMs = (sorted: number[]) => `${p99(sorted).toFixed(0)} ms`;

const timesInWords = ({ lists, deliveries }: Times) =>
  `list p99 ${inMs(lists)}, webhook ${inMs(deliveries)}`;

export const inWords = (statuses: Statuses) =>
  Object.entries(statuses)
    .map(([status, count]) => `${status} × ${count}`)
    .join(', ') || 'no response';
