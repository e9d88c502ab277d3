import { Clock } from '../platform/clock';
import { MemoryRateCounter } from './memory-rate-counter';

const MINUTE = 60_000;
const WINDOWS = 1_000;

class SmallCounter extends MemoryRateCounter {
  protected override readonly windows = WINDOWS;
}

let now: number;
let counter: SmallCounter;
const hits = async (address: string) => (await counter.increment(address, MINUTE, 60)).totalHits;

beforeEach(() => {
  now = Date.UTC(2026, 0, 1);
  const clock = new Clock();
  clock.now = () => new Date(now);
  counter = new SmallCounter(clock);
});

test('a window lasts a minute from its first request, however many generations turn meanwhile', async () => {
  await hits('first');
  now += 50_000;
  expect(await hits('late')).toBe(1);
  now += 20_000;
  expect(await hits('first')).toBe(1);
  expect(await hits('late')).toBe(2);
  now += 39_999;
  expect(await hits('late')).toBe(3);
  now += 1;
  expect(await hits('late')).toBe(1);
});

test('what has ended is forgotten without anybody asking for it', async () => {
  for (let number = 0; number < WINDOWS / 2; number++) await hits(`address ${number}`);
  now += MINUTE;
  await hits('one');
  now += MINUTE;
  await hits('another');
  expect(counter.size).toBe(2);
});

test('memory has a bound, however many addresses somebody rotates through', async () => {
  for (let number = 0; number < 3.5 * WINDOWS; number++) await hits(`address ${number}`);
  expect(counter.size).toBeLessThanOrEqual(2 * WINDOWS);
  expect(counter.size).toBeGreaterThanOrEqual(WINDOWS);
});

test('beyond the bound the clients seen longest ago begin anew, and no others', async () => {
  await hits('early');
  for (let number = 0; number < WINDOWS; number++) await hits(`address ${number}`);
  expect(await hits('early')).toBe(2);
  await hits('recent');
  for (let number = 0; number < WINDOWS; number++) await hits(`other ${number}`);
  expect(await hits('early')).toBe(1);
  expect(await hits('recent')).toBe(2);
});
