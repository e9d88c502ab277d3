import { Clock } from '../../platform/clock';
import type { DataSource } from 'typeorm';
import { ApiKeyCache, KeyUse, REMEMBERED, REMEMBERED_FOR, type Caller } from './api-key-cache';
import { ALL_SCOPES } from '../accounts/scope.rules';

const START = Date.UTC(2026, 0, 1);
let now: number;
let known: ApiKeyCache;
let lookUps: number;

const callerOf = (keyId: string): Caller => ({
  accountId: 'account',
  keyId,
  plan: 'pro',
  isAdmin: false,
  scopes: ALL_SCOPES,
  origins: [],
});
const find = (key: string, expiresAt: Date | null = null) =>
  known.find(key, () => {
    lookUps++;
    return Promise.resolve({ caller: callerOf(key), expiresAt });
  });

beforeEach(() => {
  now = START;
  lookUps = 0;
  const clock = new Clock();
  clock.now = () => new Date(now);
  known = new ApiKeyCache(clock);
});

test('an API key in use is looked up once in five seconds', async () => {
  for (const at of [0, 1, REMEMBERED_FOR - 1]) {
    now = START + at;
    expect(await find('a')).toEqual(callerOf('a'));
  }
  expect(lookUps).toBe(1);
  now = START + REMEMBERED_FOR;
  await find('a');
  expect(lookUps).toBe(2);
});

test('a cached API key is not used beyond its expiry', async () => {
  const expiresAt = new Date(START + 1_000);
  now = START + 999;
  await find('a', expiresAt);
  await find('a', expiresAt);
  expect(lookUps).toBe(1);
  now = START + 1_000;
  expect(await known.find('a', () => Promise.resolve(null))).toBeNull();
});

test('a refused API key is not cached', async () => {
  const refuse = jest.fn(() => Promise.resolve(null));
  expect(await known.find('a', refuse)).toBeNull();
  expect(await known.find('a', refuse)).toBeNull();
  expect(refuse).toHaveBeenCalledTimes(2);
  expect(known.size).toBe(0);
});

test('a failed look-up of an API key is not cached', async () => {
  await expect(known.find('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await find('a')).toEqual(callerOf('a'));
});

test('a look-up that races a change of the API key is not cached', async () => {
  let answer: (found: { caller: Caller; expiresAt: null }) => void = () => undefined;
  const slow = known.find('a', () => new Promise((resolve) => (answer = resolve)));
  known.forget();
  answer({ caller: callerOf('a'), expiresAt: null });
  expect(await slow).toEqual(callerOf('a'));
  expect(known.size).toBe(0);
});

test('a full API key cache drops the keys looked up longest ago', async () => {
  for (let number = 0; number < REMEMBERED + 10; number++) await find(`key ${number}`);
  expect(known.size).toBe(REMEMBERED);
  lookUps = 0;
  await find('key 10');
  expect(lookUps).toBe(0);
  await find('key 9');
  expect(lookUps).toBe(1);
});

describe('the last uses of keys', () => {
  /** What was written: each time the keys with the time of their last use. */
  let writes: { ids: string[]; times: Date[] }[];
  let use: KeyUse;
  const database = {
    query: (_: string, [ids, times]: [string[], Date[]]) => {
      writes.push({ ids, times });
      return Promise.resolve([]);
    },
  } as unknown as DataSource;

  beforeEach(() => {
    jest.useFakeTimers();
    writes = [];
    use = new KeyUse(database);
  });
  afterEach(() => jest.useRealTimers());

  it('the last use of a key is written within a minute, and not once for each request', () => {
    for (let request = 0; request < 600; request++) {
      use.note(request % 2 ? 'odd' : 'even', new Date());
      jest.advanceTimersByTime(100);
    }
    expect(writes.length).toBeGreaterThanOrEqual(1);
    expect(writes.length).toBeLessThanOrEqual(3);
    const last = new Date();
    use.note('odd', last);
    jest.advanceTimersByTime(60_000);
    const { ids, times } = writes.at(-1) ?? { ids: [], times: [] };
    expect(times[ids.indexOf('odd')]).toEqual(last);
  });

  it('the API key cache of an idle process writes nothing', () => {
    use.note('once', new Date());
    jest.advanceTimersByTime(3_600_000);
    expect(writes).toHaveLength(1);
    expect(jest.getTimerCount()).toBe(0);
  });
});
