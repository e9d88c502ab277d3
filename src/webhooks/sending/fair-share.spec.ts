import { setTimeout as sleep } from 'node:timers/promises';
import { FairShare, type Health } from './fair-share';
import {
  ACCOUNT_SHARE,
  ENDPOINT_SHARE,
  FAILING_ENDPOINT_SHARE,
  SLOW_SHARE,
} from './sending-limits';

const LONG = 1_000;

/** Attempts that end when they are told to. */
function attempts(shares: FairShare) {
  const open: ((health: Health) => void)[] = [];
  const delays: number[] = [];
  const all: Promise<void>[] = [];
  const begin = (endpointId: string, accountId = endpointId) => {
    const made = shares.run(
      `job-${all.length}`,
      { endpointId, accountId },
      () => new Promise<{ health: Health }>((end) => open.push((health) => end({ health }))),
    );
    all.push(made.then((it) => void (typeof it === 'number' && delays.push(it))));
  };
  const end = async (health: Health) => {
    for (const it of open.splice(0)) it(health);
    await Promise.resolve();
  };
  return { open, delays, begin, end, ended: () => Promise.all(all) };
}

describe('the shares of endpoints and accounts', () => {
  it('an endpoint has at most its share of attempts, and two while it is failing', async () => {
    const { open, delays, begin, end, ended } = attempts(new FairShare(LONG));
    for (let count = 0; count < ENDPOINT_SHARE; count++) begin('one');
    expect(open).toHaveLength(ENDPOINT_SHARE);
    begin('one');
    await sleep(400);
    expect([open.length, delays.length]).toEqual([ENDPOINT_SHARE, 1]);
    await end('failing');
    await ended();
    for (let count = 0; count <= FAILING_ENDPOINT_SHARE; count++) begin('one');
    await sleep(400);
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
    await sleep(300);
    expect(open).toHaveLength(SLOW_SHARE);
    await end('good');
    await ended();
  });

  it('a job that will soon have a place waits for it, in this worker', async () => {
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

  it('a place that becomes free is given to the delayed job that has waited longest', async () => {
    const promoted: string[] = [];
    const { begin, end, ended } = attempts(new FairShare(LONG, (id) => promoted.push(id)));
    for (let count = 0; count < ENDPOINT_SHARE; count++) begin('one');
    await sleep(400);
    for (let count = 0; count < 100; count++) begin('one');
    await sleep(400);
    expect(promoted).toEqual([]);
    await end('good');
    await ended();
    const numbers = promoted.slice(0, 4).map((id) => Number(id.slice('job-'.length)));
    const [first = 0] = numbers;
    expect(numbers).toEqual([first, first + 1, first + 2, first + 3]);
  });

  it('jobs beyond a share are delayed by one usual duration ÷ share each, at most a minute', async () => {
    const { delays, begin, end, ended } = attempts(new FairShare(LONG));
    for (let count = 0; count < ENDPOINT_SHARE; count++) begin('one');
    await sleep(800);
    for (let count = 0; count < 2_000; count++) begin('one');
    await sleep(400);
    // Some have waited here for a place first.
    expect(delays).toHaveLength(2_000);
    const step = 800 / ENDPOINT_SHARE;
    expect(delays[99]).toBeGreaterThanOrEqual(99 * step);
    expect(delays[99]).toBeLessThan(150 * step);
    expect(Math.max(...delays)).toBe(60_000);
    await end('good');
    await ended();
  });
});
