import { MINUTE } from '../../platform/durations';
import type { NextState } from '../deliveries/delivery.rules';
import type { Receiver } from '../relay/delivery-queue';
import {
  ACCOUNT_SHARE,
  ENDPOINT_SHARE,
  FAILING_ENDPOINT_SHARE,
  SLOW_SHARE,
  URGENT_SHARE,
} from './sending-limits';

/** What an attempt shows about its endpoint. */
export type EndpointCondition = NextState['health'];

/**
 * How long a job waits in this worker for a place, in milliseconds, on average. The jobs of a flood wait for different
 * times and free their places one by one, so BullMQ fetches a job every few milliseconds, that of another account
 * first. If they left at once, fetching and delaying them would use all of the worker's time.
 */
const HOLD = 1_000;
/** After that the job goes back to the queue, for at most this long. */
const LONGEST_DELAY = MINUTE;
/** Endpoints and accounts that are remembered, and delayed jobs of an endpoint. */
const REMEMBERED = 10_000;
/** Delayed jobs that run earlier because one attempt has ended. */
const MOST_PROMOTED = 4;

/**
 * Shares this worker's places, so that one endpoint, one account, or all slow endpoints together never send on all of
 * them. A job beyond a share waits here for a while. Then it is delayed until its receiver's next free place, which
 * each delayed job pushes on (a leaky bucket): a fixed pause would make thousands of jobs of one slow endpoint
 * circulate all the time. A place that becomes free earlier is given to the first of them. An urgent job that finds
 * its endpoint's places taken gets one of a few extra ones at once, while its account has room.
 */
export class FairShare {
  private readonly endpoints = new Map<string, Load>();
  private readonly accounts = new Map<string, Load>();
  /** The accounts of which jobs wait for a place. */
  private readonly waiting = new Set<Load>();
  private readonly slow = new Load();
  /** Urgent attempts beyond the other shares, by endpoint. */
  private readonly urgent = new Map<string, Load>();

  /**
   * @param slowAfter milliseconds: an endpoint whose attempts usually take longer is slow
   * @param promote a delayed job runs now
   */
  constructor(
    private readonly slowAfter: number,
    private readonly promote: (jobId: string) => void = () => undefined,
  ) {}

  /**
   * Does the work if it fits into the shares.
   * @returns its result, or the milliseconds after which there may be room
   */
  async run<T extends { health: EndpointCondition }>(
    jobId: string,
    receiver: Receiver,
    work: () => Promise<T>,
  ): Promise<T | number> {
    const endpoint = loadOf(this.endpoints, receiver.endpointId);
    const account = loadOf(this.accounts, receiver.accountId);
    endpoint.delayed.delete(jobId);
    // The shares change while a job waits: the endpoint may begin to fail.
    const shares = () => this.sharesOf(endpoint, account);
    const extra = receiver.isUrgent ? this.extraOf(receiver.endpointId, account) : null;
    const takePlace = () => take(shares()) ?? (extra && take(extra));
    const place = takePlace() ?? (await this.wait(account, takePlace));
    if (!place) {
      const delay = delayOf(shares());
      if (endpoint.delayed.size < REMEMBERED)
        endpoint.delayed.set(jobId, performance.now() + delay);
      return delay;
    }
    let health: EndpointCondition = 'unknown';
    try {
      const result = await work();
      ({ health } = result);
      return result;
    } finally {
      if (health !== 'unknown') endpoint.failing = health !== 'good';
      for (const load of place.loads) load.ended(place, health !== 'unknown');
      // Only now: a job that waits for a place needs one in each of its shares.
      if (place.loads.includes(this.slow)) this.giveSlowPlace();
      account.wakeOne();
      this.refill(endpoint, account);
    }
  }

  /**
   * A free place among the slow ones is given to the account that has the fewest attempts under way: the floods of two
   * accounts fill all of these places, and with their own jobs waiting for each that becomes free nobody else got one.
   */
  private giveSlowPlace(): void {
    const waiting = [...this.waiting].sort((a, b) => a.open.size - b.open.size);
    for (const account of waiting) if (account.wakeOne()) return;
  }

  /** Free places are given to delayed jobs of the endpoint, a few at a time. */
  private refill(endpoint: Load, account: Load): void {
    endpoint.forgetDue();
    if (account.waiters.size > 0 || endpoint.delayed.size === 0) return;
    const shares = this.sharesOf(endpoint, account);
    const free = Math.min(...shares.map(({ load, limit }) => limit - load.open.size));
    let count = Math.min(free, MOST_PROMOTED);
    for (const id of endpoint.delayed.keys()) {
      if (count-- <= 0) return;
      endpoint.delayed.delete(id);
      this.promote(id);
    }
  }

  private sharesOf(endpoint: Load, account: Load): Share[] {
    const isSlow = endpoint.failing || endpoint.duration() >= this.slowAfter;
    return [
      { load: endpoint, limit: endpoint.failing ? FAILING_ENDPOINT_SHARE : ENDPOINT_SHARE },
      { load: account, limit: ACCOUNT_SHARE },
      ...(isSlow ? [{ load: this.slow, limit: SLOW_SHARE }] : []),
    ];
  }

  private extraOf(endpointId: string, account: Load): Share[] {
    return [
      { load: loadOf(this.urgent, endpointId), limit: URGENT_SHARE },
      { load: account, limit: ACCOUNT_SHARE },
    ];
  }

  private wait(account: Load, takePlace: () => Place | null): Promise<Place | null> {
    return new Promise((resolve) => {
      const look = () => {
        const place = takePlace();
        if (place) end(place);
        return place !== null;
      };
      const end = (place: Place | null) => {
        clearTimeout(timer);
        account.waiters.delete(look);
        if (account.waiters.size === 0) this.waiting.delete(account);
        resolve(place);
      };
      const timer = setTimeout(() => end(null), HOLD * (0.5 + Math.random()));
      account.waiters.add(look);
      this.waiting.add(account);
    });
  }
}

/** One attempt under way, and the loads that count it. */
interface Place {
  loads: Load[];
}

interface Share {
  load: Load;
  limit: number;
}

/** The attempts that one endpoint, one account or all slow endpoints have under way in this worker. */
class Load {
  /** When they began (`performance.now`), in this order. */
  readonly open = new Map<Place, number>();
  /** Jobs that wait for a place; each returns whether it took one. */
  readonly waiters = new Set<() => boolean>();
  /** Jobs of an endpoint that this worker has delayed, in this order, and when they are due. */
  readonly delayed = new Map<string, number>();
  failing = false;
  /** When the bucket of delayed jobs will have leaked. */
  nextFree = 0;
  /** How long an attempt usually takes. */
  private usual = 0;

  get isIdle(): boolean {
    return this.open.size + this.waiters.size + this.delayed.size === 0;
  }

  /** Jobs that are due need no promotion, and another worker may have run them. */
  forgetDue(): void {
    for (const [id, due] of this.delayed) {
      if (due > performance.now()) return;
      this.delayed.delete(id);
    }
  }

  hasRoom(limit: number): boolean {
    return this.open.size < limit;
  }

  /** How long an attempt takes: at least as long as the oldest one under way has taken. */
  duration(): number {
    const [oldest = performance.now()] = this.open.values();
    return Math.max(this.usual, performance.now() - oldest);
  }

  ended(place: Place, isMeasured: boolean): void {
    const took = performance.now() - (this.open.get(place) ?? 0);
    this.open.delete(place);
    if (isMeasured) this.usual = this.usual === 0 ? took : this.usual * 0.8 + took * 0.2;
  }

  /** Gives a free place to the first waiting job that it helps. @returns whether there is one */
  wakeOne(): boolean {
    for (const tryAgain of this.waiters) if (tryAgain()) return true;
    return false;
  }
}

/** A place in every share, or none. */
function take(shares: Share[]): Place | null {
  if (!shares.every(({ load, limit }) => load.hasRoom(limit))) return null;
  const place = { loads: shares.map(({ load }) => load) };
  for (const load of place.loads) load.open.set(place, performance.now());
  return place;
}

/** Until the next free place of the fullest share. */
function delayOf(shares: Share[]): number {
  const now = performance.now();
  let latest = now;
  for (const { load, limit } of shares) {
    if (load.hasRoom(limit)) continue;
    load.nextFree = Math.min(
      Math.max(load.nextFree, now) + Math.max(1, load.duration() / limit),
      now + LONGEST_DELAY,
    );
    latest = Math.max(latest, load.nextFree);
  }
  return Math.round(latest - now);
}

function loadOf(loads: Map<string, Load>, id: string): Load {
  let load = loads.get(id);
  if (load) return load;
  if (loads.size >= REMEMBERED)
    for (const [other, remembered] of loads) {
      remembered.forgetDue();
      if (remembered.isIdle) loads.delete(other);
    }
  loads.set(id, (load = new Load()));
  return load;
}
