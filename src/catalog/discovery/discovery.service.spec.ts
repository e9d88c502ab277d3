import { Clock } from '../../platform/clock';
import { withTtl } from './discovery.service';

/**
 * Through a pooler, which drops notifications, and with replicas no process learns of the changes of others: then
 * only the age of what is cached keeps the contract's 60 seconds.
 */
const START = Date.UTC(2026, 0, 1);
let now: number;
let changes: { revision: number };
let read: jest.Mock<Promise<string>, []>;
let cached: () => Promise<string>;

beforeEach(() => {
  now = START;
  changes = { revision: 0 };
  read = jest.fn(() => Promise.resolve(`read ${read.mock.calls.length}`));
  const clock = new Clock();
  clock.now = () => new Date(now);
  cached = withTtl(clock, changes, read);
});

test('a cached value is read again once it is five seconds old', async () => {
  for (const age of [0, 1, 4_999]) {
    now = START + age;
    expect(await cached()).toBe('read 1');
  }
  now = START + 5_000;
  expect(await cached()).toBe('read 2');
  now = START + 9_999;
  expect(await cached()).toBe('read 2');
});

test('a cached value is read again after a change, without waiting', async () => {
  expect(await cached()).toBe('read 1');
  changes.revision++;
  expect(await cached()).toBe('read 2');
  expect(await cached()).toBe('read 2');
});

test('a cached value is read again after the clock was set back', async () => {
  expect(await cached()).toBe('read 1');
  now = START - 1;
  expect(await cached()).toBe('read 2');
});

test('concurrent readers share one read', async () => {
  expect(await Promise.all([cached(), cached()])).toEqual(['read 1', 'read 1']);
});

test('a failed read is not cached', async () => {
  read.mockRejectedValueOnce(new Error('no connection'));
  await expect(cached()).rejects.toThrow('no connection');
  expect(await cached()).toBe('read 2');
});
