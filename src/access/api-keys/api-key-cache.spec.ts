import { Clock } from '../../platform/clock';
import { ALL_SCOPES } from '../accounts/scope.rules';
import { ApiKeyCache, MAX_CACHED_KEYS } from './api-key-cache';
import type { Caller } from './caller';

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
  for (const at of [0, 1, 4_999]) {
    now = START + at;
    expect(await find('a')).toEqual(callerOf('a'));
  }
  expect(lookUps).toBe(1);
  now = START + 5_000;
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
  for (let number = 0; number < MAX_CACHED_KEYS + 10; number++) await find(`key ${number}`);
  expect(known.size).toBe(MAX_CACHED_KEYS);
  lookUps = 0;
  await find('key 10');
  expect(lookUps).toBe(0);
  await find('key 9');
  expect(lookUps).toBe(1);
});
