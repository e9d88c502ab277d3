import fc from 'fast-check';
import { findKey, generateKey, hashKey, isWellFormedKey, keyPrefix } from './api-key.rules';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('a generated API key', () => {
  test.each(['live', 'test'] as const)(
    'a generated key has the form of a %s key, and of no other',
    (environment) => {
      const key = generateKey(environment);
      expect(key).toMatch(/^svc_(live|test)_[0-9A-Za-z]{38}$/);
      expect(key.startsWith(keyPrefix(environment))).toBe(true);
      expect(isWellFormedKey(key, environment)).toBe(true);
      expect(isWellFormedKey(key, environment === 'live' ? 'test' : 'live')).toBe(false);
    },
  );

  test('a generated API key is unique', () => {
    expect(new Set(Array.from({ length: 500 }, () => generateKey('test'))).size).toBe(500);
  });
});

test('the checksum of an API key is the CRC32 of the rest, in base62', () => {
  // CRC32 of these 41 characters is 1709858910, computed elsewhere.
  expect(isWellFormedKey('svc_test_000000000000000000000000000000001riOPW', 'test')).toBe(true);
});

test('an API key with one mistyped character is refused', () => {
  const key = generateKey('test');
  fc.assert(
    fc.property(fc.nat(key.length - 1), fc.constantFrom(...ALPHABET), (place, typed) => {
      fc.pre(key[place] !== typed);
      expect(isWellFormedKey(key.slice(0, place) + typed + key.slice(place + 1), 'test')).toBe(
        false,
      );
    }),
  );
});

test('any other text is refused as an API key', () => {
  fc.assert(fc.property(fc.string(), (text) => !isWellFormedKey(text, 'test')));
  const key = generateKey('test');
  for (const text of ['', `${key}\n`, ` ${key}`, `${key}0`, key.slice(1), key.toLowerCase()])
    expect(isWellFormedKey(text, 'test')).toBe(false);
});

test('the stored hash is the SHA-256 of the whole API key', () => {
  expect(hashKey('abc').toString('hex')).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
});

describe('reading the API key of a request', () => {
  test.each([
    ['Bearer', { authorization: 'Bearer a' }, {}, 'a'],
    ['any case of the scheme', { authorization: 'bEARER  a ' }, {}, 'a'],
    ['Bearer before all', { authorization: 'Bearer a', 'x-api-key': 'b' }, { api_key: 'c' }, 'a'],
    ['X-Api-Key before the query', { 'x-api-key': ' b ' }, { api_key: 'c', apiKey: 'd' }, 'b'],
    ['api_key before apiKey', {}, { apiKey: 'd', api_key: 'c' }, 'c'],
    ['apiKey', {}, { apiKey: 'd' }, 'd'],
    ['another scheme is no key', { authorization: 'Basic a' }, { apiKey: 'd' }, 'd'],
    ['a scheme that only begins like it', { authorization: 'Bearera' }, {}, null],
    ['a scheme without a key', { authorization: 'Bearer ' }, { apiKey: 'd' }, null],
    ['an empty header', { 'x-api-key': '' }, { apiKey: 'd' }, ''],
    ['repeated', {}, { api_key: ['a', 'b'] }, null],
    ['repeated, another after it', {}, { api_key: ['a', 'b'], apiKey: 'd' }, null],
    ['nested', {}, { 'api_key[x]': 'a' }, null],
    ['once and nested', {}, { api_key: 'a', 'api_key[]': 'b' }, null],
    ['a name that only begins like it', {}, { api_keys: 'a', apiKeyring: 'b' }, null],
    ['none', {}, { limit: '5' }, null],
  ])('the API key of a request: %s', (_, headers, query, key) => {
    expect(findKey(headers, query)).toBe(key);
  });
});
