import { type EndpointCondition, FairShare } from './fair-share';
import {
  ACCOUNT_SHARE,
  ENDPOINT_SHARE,
  FAILING_ENDPOINT_SHARE,
  SLOW_SHARE,
  URGENT_SHARE,
} from './sending-limits';

const sleep = (milliseconds: number) => jest.advanceTimersByTimeAsync(milliseconds);

const LONG = 5_000;
/** The longest time that a job waits for a place. */
const HELD = 1_600;

/** Attempts that end when they are told to. */
function attempts(shares: FairShare) {
  const open: ((health: EndpointCondition) => void)[] = [];
  const delays: number[] = [];
  /** The jobs that are delayed. */
  const delayed: { id: string; due: number }[] = [];
  const all: Promise<void>[] = [];
  const begin = (endpointId: string, accountId = endpointId, isUrgent = false) => {
    const id = `job-${all.length}`;
    const made = shares.run(
      id,
      { endpointId, accountId, isUrgent },
      () =>
        new Promise<{ health: EndpointCondition }>((end) => open.push((health) => end({ health }))),
    );
    all.push(
      made.then((it) => {
        if (typeof it !== 'number') return;
        delays.push(it);
        delayed.push({ id, due: performance.now() + it });
      }),
    );
  };
  const end = async (health: EndpointCondition) => {
    for (const it of open.splice(0)) it(health);
    await Promise.resolve();
  };
  return { open, delays, delayed, begin, end, ended: () => Promise.all(all) };
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

describe('the shares of endpoints and accounts', () => {
  it('an endpoint has at most its share of attempts, and two while it is failing', async () => {
    const { open, delays, begin, end, ended } = attempts(new FairShare(LONG));
    for (let count = 0; count < ENDPOINT_SHARE; count++) begin('one');
    expect(open).toHaveLength(ENDPOINT_SHARE);
    begin('one');
    await sleep(HELD);
    expect([open.length, delays.length]).toEqual([ENDPOINT_SHARE, 1]);
    await end('failing');
    await ended();
    for (let count = 0; count <= FAILING_ENDPOINT_SHARE; count++) begin('one');
    await sleep(HELD);
    expect([open.length, delays.length]).toEqual([FAILING_ENDPOINT_SHARE, 2]);
    await end('good');
    await ended();
    for (let count = 0; count <= FAILING_ENDPOINT_SHARE; count++) begin('one');
    expect(open).toHaveLength(FAILING_ENDPOINT_SHARE + 1);
    await end('good');
  });

  it('an account has at most its share of attempts, over all of its endpoints', async () => {
    const { open, begin, end } = attempts(new FairShare(LONG));
    for (let count = 0; count < ACCOUNT_SHARE + 20; count++) begin(`of-a-${count % 10}`, 'a');
    expect(open).toHaveLength(ACCOUNT_SHARE);
    begin('of-b', 'b');
    expect(open).toHaveLength(ACCOUNT_SHARE + 1);
    await end('good');
  });

  it('slow endpoints of many accounts have at most half of all places', async () => {
    const { open, begin, end, ended } = attempts(new FairShare(0));
    for (let count = 0; count < SLOW_SHARE + 20; count++) begin(`endpoint-${count}`);
    await sleep(HELD);
    expect(open).toHaveLength(SLOW_SHARE);
    await end('good');
    await ended();
  });

  it('an urgent job gets a place at once beyond the shares of its endpoint and of slow ones', async () => {
    const { open, begin, end, ended } = attempts(new FairShare(0));
    for (let count = 0; count < ENDPOINT_SHARE; count++) begin('one');
    for (let count = ENDPOINT_SHARE; count < SLOW_SHARE; count++) begin(`other-${count}`);
    begin('one');
    begin('another');
    expect(open).toHaveLength(SLOW_SHARE);
    for (let count = 0; count <= URGENT_SHARE; count++) begin('one', 'one', true);
    expect(open).toHaveLength(SLOW_SHARE + URGENT_SHARE);
    // One more waits like the others.
    await sleep(HELD);
    expect(open).toHaveLength(SLOW_SHARE + URGENT_SHARE);
    await end('failing');
    for (let count = 0; count < FAILING_ENDPOINT_SHARE; count++) begin('one');
    begin('one', 'one', true);
    expect(open).toHaveLength(FAILING_ENDPOINT_SHARE + 1);
    await end('good');
    await ended();
  });

  it('urgent jobs count towards the share of their account', async () => {
    const { open, begin, end } = attempts(new FairShare(LONG));
    for (let count = 0; count < ACCOUNT_SHARE - 1; count++) begin(`of-a-${count % 10}`, 'a');
    for (let count = 0; count < 2; count++) begin('of-a-0', 'a', true);
    expect(open).toHaveLength(ACCOUNT_SHARE);
    await end('good');
  });

  it('a job beyond a share gets a place that becomes free meanwhile', async () => {
    const { open, delays, begin, end, ended } = attempts(new FairShare(LONG));
    for (let count = 0; count < ENDPOINT_SHARE + 5; count++) begin('one');
    expect(open).toHaveLength(ENDPOINT_SHARE);
    await end('good');
    await sleep(0);
    expect(open).toHaveLength(5);
    await end('good');
    await ended();
    expect(delays).toEqual([]);
  });

  it('a job that waits for a place among the slow ones gets that of its account which becomes free', async () => {
    const { open, delays, begin, end, ended } = attempts(new FairShare(0));
    begin('first', 'one');
    for (let count = 1; count < SLOW_SHARE; count++) begin(`other-${count}`);
    begin('second', 'one');
    expect(open).toHaveLength(SLOW_SHARE);
    open.shift()?.('good');
    await sleep(0);
    expect(open).toHaveLength(SLOW_SHARE);
    await end('good');
    await ended();
    expect(delays).toEqual([]);
  });

  it('a slow place that becomes free goes to the account with the fewest attempts, not to the flood that held it', async () => {
    const shares = new FairShare(0);
    const { open, begin, end, ended } = attempts(shares);
    const flood = (accountId: string, jobs: number) => {
      for (let count = 0; count < jobs; count++) begin(`of-${accountId}-${count % 10}`, accountId);
    };
    for (const accountId of ['a', 'b']) flood(accountId, SLOW_SHARE / 2);
    for (const accountId of ['a', 'b']) flood(accountId, 20);
    expect(open).toHaveLength(SLOW_SHARE);
    const work = jest.fn(() => Promise.resolve({ health: 'good' as const }));
    const sent = shares.run('c', { endpointId: 'of-c', accountId: 'c', isUrgent: false }, work);
    open.shift()?.('good');
    await sleep(0);
    expect(work).toHaveBeenCalled();
    await sent;
    await end('good');
    await sleep(HELD);
    await end('good');
    await ended();
  });

  it('jobs that wait for a place get those of a failing endpoint when it begins to fail meanwhile', async () => {
    const { open, begin, end, ended } = attempts(new FairShare(LONG));
    for (let count = 0; count < ENDPOINT_SHARE + 5; count++) begin('one');
    await end('failing');
    await sleep(0);
    expect(open).toHaveLength(FAILING_ENDPOINT_SHARE);
    await sleep(HELD);
    await end('good');
    await ended();
  });

  it('jobs beyond a share leave this worker one by one, not all at once', async () => {
    const { delays, begin, end, ended } = attempts(new FairShare(LONG));
    for (let count = 0; count < ENDPOINT_SHARE + 200; count++) begin('one');
    await sleep(400);
    expect(delays).toEqual([]);
    await sleep(600);
    expect(delays.length).toBeGreaterThan(50);
    expect(delays.length).toBeLessThan(150);
    await sleep(HELD - 1_000);
    expect(delays).toHaveLength(200);
    await end('good');
    await ended();
  });

  it('a place that becomes free is given to the job that has waited longest of those not yet due', async () => {
    const promoted: string[] = [];
    const { delayed, begin, end, ended } = attempts(new FairShare(LONG, (id) => promoted.push(id)));
    for (let count = 0; count < ENDPOINT_SHARE; count++) begin('one');
    await sleep(HELD);
    for (let count = 0; count < 100; count++) begin('one');
    await sleep(HELD);
    expect(promoted).toEqual([]);
    const waiting = delayed.filter(({ due }) => due > performance.now()).map(({ id }) => id);
    await end('good');
    await ended();
    expect(waiting.length).toBeGreaterThan(4);
    expect(promoted.slice(0, 4)).toEqual(waiting.slice(0, 4));
  });

  it('a delayed job that is due is forgotten: another worker may have run it', async () => {
    const promoted: string[] = [];
    const { delayed, begin, end, ended } = attempts(new FairShare(LONG, (id) => promoted.push(id)));
    for (let count = 0; count < ENDPOINT_SHARE + 10; count++) begin('one');
    await sleep(HELD);
    expect(delayed).toHaveLength(10);
    await sleep(60_000);
    await end('good');
    await ended();
    expect(promoted).toEqual([]);
  });

  it('jobs beyond a share are delayed by one usual duration ÷ share each, at most a minute', async () => {
    const { delays, begin, end, ended } = attempts(new FairShare(LONG));
    for (let count = 0; count < ENDPOINT_SHARE; count++) begin('one');
    await sleep(800);
    for (let count = 0; count < 2_000; count++) begin('one');
    await sleep(HELD);
    expect(delays).toHaveLength(2_000);
    // The oldest attempt has lasted for 0.8 s, and for as long as the job has waited here.
    expect(delays[99]).toBeGreaterThanOrEqual((100 * 1_300) / ENDPOINT_SHARE);
    expect(delays[99]).toBeLessThan((100 * 2_500) / ENDPOINT_SHARE);
    expect(Math.max(...delays)).toBe(60_000);
    await end('good');
    await ended();
  });
});
