import { Clock } from '../../platform/clock';
import { MINUTE } from '../../platform/durations';
import { countRequest, MemoryThrottlerStorage, type RateWindow } from './memory-throttler-storage';

const WINDOWS = 1_000;

class SmallStorage extends MemoryThrottlerStorage {
  protected override readonly windows = WINDOWS;
}

let now: number;
let storage: SmallStorage;
const count = (address: string) => storage.increment(address, MINUTE, 60);
const hits = async (address: string) => (await count(address)).totalHits;

beforeEach(() => {
  now = Date.UTC(2026, 0, 1);
  const clock = new Clock();
  clock.now = () => new Date(now);
  storage = new SmallStorage(clock);
});

test('a request counts for a minute across generations of windows', async () => {
  await hits('first');
  now += 50_000;
  expect(await hits('late')).toBe(1);
  now += 20_000;
  expect(await hits('first')).toBe(1);
  expect(await hits('late')).toBe(2);
  now += 39_999;
  expect(await hits('late')).toBe(3);
  now += 1;
  expect(await hits('late')).toBe(3);
});

test('a client that keeps sending is counted across generations of windows', async () => {
  for (let second = 0; second < 300; second++) {
    now += 1_000;
    expect(await hits('steady')).toBe(Math.min(60, second + 1));
  }
});

test('no 60 seconds have more than 60 accepted requests, and a client that waits for Retry-After is accepted', async () => {
  const accepted: number[] = [];
  // Compared once, not one by one: 15,000 calls of `expect` take seconds.
  const wrong: unknown[] = [];
  // Bursts and pauses of many lengths, without random numbers that would fail now and then.
  for (let step = 0; step < 5_000; step++) {
    now += (step * step * 37) % (step % 70 === 0 ? 40_000 : 900);
    const { isBlocked: isRefused, timeToBlockExpire: seconds } = await count('client');
    if (isRefused && step % 3 === 0) {
      now += seconds * 1_000;
      if ((await count('client')).isBlocked) wrong.push(['refused after waiting', step]);
      accepted.push(now);
    } else if (!isRefused) accepted.push(now);
    if (seconds < 1 || seconds > 60) wrong.push([seconds, step]);
  }
  expect(wrong).toEqual([]);
  const crowded = accepted.filter(
    (time, index) => time - (accepted[index - 60] ?? -Infinity) < MINUTE,
  );
  expect(crowded).toEqual([]);
  expect(accepted.length).toBeGreaterThan(1_000);
});

test('a window of a million requests a minute is stored as at most 61 seconds', () => {
  const window: RateWindow = [];
  for (let step = 0; step < 200_000; step++) countRequest(window, now + step, 1_000_000, MINUTE);
  expect(window.length).toBeLessThanOrEqual(2 * 61);
});

test('expired counts of an address are removed as others send requests', async () => {
  for (let number = 0; number < WINDOWS / 2; number++) await hits(`address ${number}`);
  now += MINUTE;
  await hits('one');
  now += MINUTE;
  await hits('another');
  expect(storage.size).toBe(2);
});

test("the rate limit's memory is bounded for any number of addresses", async () => {
  for (let number = 0; number < 3.5 * WINDOWS; number++) await hits(`address ${number}`);
  expect(storage.size).toBeLessThanOrEqual(2 * WINDOWS);
  expect(storage.size).toBeGreaterThanOrEqual(WINDOWS);
});

test('a full storage resets only the clients seen longest ago', async () => {
  await hits('early');
  for (let number = 0; number < WINDOWS; number++) await hits(`address ${number}`);
  await hits('recent');
  for (let number = 0; number < WINDOWS; number++) await hits(`other ${number}`);
  expect(await hits('early')).toBe(1);
  expect(await hits('recent')).toBe(2);
});
