import { Malformed } from '../errors/domain-errors';
import { fingerprintOf, lockOf, readIdempotencyKey } from './idempotency.rules';

describe('the Idempotency-Key header', () => {
  it.each(['a', 'order-17', '8e03978e-40d5-43dd-bc93-6894a57f9324', '"quoted"', '~'.repeat(255)])(
    'an Idempotency-Key may be %s',
    (key) => expect(readIdempotencyKey(key)).toBe(key),
  );

  it('an Idempotency-Key may be absent', () => expect(readIdempotencyKey(undefined)).toBeNull());

  it.each([
    ['empty', ''],
    ['longer than 255 characters', 'a'.repeat(256)],
    ['two words', 'a b'],
    ['sent twice', 'a, b'],
    ['not ASCII', 'schlüssel'],
    ['a control character', 'a\tb'],
    ['a list', ['a', 'b']],
  ])('an Idempotency-Key may not be %s', (_, header) =>
    expect(() => readIdempotencyKey(header)).toThrow(Malformed),
  );
});

describe('the fingerprint of a request', () => {
  const request = { method: 'POST', path: '/api/v1/quizzes', body: { title: 'A', tags: ['b'] } };
  const same = (other: object) =>
    fingerprintOf({ ...request, ...other }).equals(fingerprintOf(request));

  it('the fingerprint of equal requests is equal', () =>
    expect(same({ body: { title: 'A', tags: ['b'] } })).toBe(true));

  it.each([
    ['the method', { method: 'PUT' }],
    ['the path', { path: '/api/v1/quizzes/x' }],
    ['a value of the body', { body: { title: 'B', tags: ['b'] } }],
  ])('the fingerprint of a request changes with %s', (_, other) => expect(same(other)).toBe(false));

  it.each([
    ['path and body', { path: '/q', body: 12 }, { path: '/q1', body: 2 }],
    ['method and path', { method: 'PUT', path: 'X/q' }, { method: 'PUTX', path: '/q' }],
  ])('the fingerprint of a request changes with what moves between %s', (_, one, other) =>
    expect(fingerprintOf({ ...request, ...one })).not.toEqual(
      fingerprintOf({ ...request, ...other }),
    ),
  );
});

it('the lock of an Idempotency-Key depends on it and its account, and fits into 64 bits', () => {
  expect(lockOf('a', 'key')).not.toBe(lockOf('b', 'key'));
  expect(lockOf('a', 'key')).not.toBe(lockOf('a', 'other'));
  expect(BigInt.asIntN(64, BigInt(lockOf('a', 'key'))).toString()).toBe(lockOf('a', 'key'));
});
