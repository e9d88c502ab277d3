import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Request, Response } from 'express';
import { Bursts } from './bursts';

const bursts = new Bursts();

/** @returns the response of the request, which emits `close` when the client has gone */
function arrive(ip: string, begin: () => void): EventEmitter {
  const response = new EventEmitter();
  bursts.use({ ip } as Request, response as Response, begin);
  return response;
}

it('requests of a client begin in their order, and those of another one in the first turn', async () => {
  const begun: string[] = [];
  for (let number = 1; number <= 10; number++)
    arrive('192.0.2.1', () => begun.push(`first ${number}`));
  arrive('192.0.2.2', () => begun.push('other'));
  expect(begun).toEqual(['first 1', 'first 2', 'first 3', 'first 4', 'other']);

  await nextTurn();
  expect(begun.slice(5)).toEqual(['first 5', 'first 6', 'first 7', 'first 8']);
  // It waits behind the others of its client.
  arrive('192.0.2.1', () => begun.push('first 11'));

  await nextTurn();
  expect(begun.slice(9)).toEqual(['first 9', 'first 10', 'first 11']);

  await nextTurn();
  arrive('192.0.2.1', () => begun.push('later'));
  expect(begun.at(-1)).toBe('later');
});

it('requests that wait let connections be accepted first, and go on in every 32nd turn', async () => {
  const begun: number[] = [];
  for (let number = 0; number < 12; number++) arrive('192.0.2.6', () => begun.push(number));
  const counts: number[] = [];
  for (let turn = 1; turn <= 40; turn++) {
    bursts.accepted();
    await nextTurn();
    counts.push(begun.length);
  }
  expect(counts).toEqual([...Array<number>(31).fill(4), ...Array<number>(9).fill(8)]);
  // Those of others do not wait.
  arrive('192.0.2.7', () => begun.push(-1));
  expect(begun.at(-1)).toBe(-1);
  await nextTurn();
  expect(begun).toHaveLength(13);
});

it('a request whose client has gone does not begin, and nobody waits for it', async () => {
  const begun: number[] = [];
  const responses = Array.from({ length: 12 }, (_, number) =>
    arrive('192.0.2.3', () => begun.push(number)),
  );
  for (const response of responses.slice(4, 10)) response.emit('close');
  await nextTurn();
  expect(begun).toEqual([0, 1, 2, 3, 10, 11]);
});

it('a request that waits keeps its asynchronous context', async () => {
  const request = new AsyncLocalStorage<number>();
  const begun: (number | undefined)[] = [];
  for (let number = 0; number < 6; number++)
    request.run(number, () => arrive('192.0.2.4', () => begun.push(request.getStore())));
  await nextTurn();
  expect(begun).toEqual([0, 1, 2, 3, 4, 5]);
});

it('a request that goes on after a pause takes a turn among those of its client', async () => {
  const begun: string[] = [];
  const request = { ip: '192.0.2.5' } as Request;
  for (let number = 0; number < 8; number++) arrive('192.0.2.5', () => begun.push('new'));
  void bursts.turnOf(request, new EventEmitter() as Response).then(() => begun.push('refused'));
  await nextTurn();
  expect(begun).toHaveLength(8);
  await nextTurn();
  expect(begun.at(-1)).toBe('refused');
});
