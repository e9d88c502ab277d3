import { EventEmitter, once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type NextFunction, type Request, type Response } from 'express';
import { Overloaded } from '../../src/platform/errors/domain-errors';
import { shedLoad } from '../../src/platform/hardening/load';
import { eventually } from '../support/clock';
import { raw } from '../support/raw-http';

/** Load shedding, with requests that stop the event loop. */

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
let url: string;
let close: () => void;

beforeEach(async () => {
  const app = express();
  const server = createServer(app);
  app.use(shedLoad(server, 20));
  app.get('/slow', (_, response) => {
    const until = performance.now() + 30;
    while (performance.now() < until);
    response.end();
  });
  app.get('/health/live', (_, response) => void response.end());
  app.use((error: unknown, _: Request, response: Response, __: NextFunction) => {
    response.status(error instanceof Overloaded ? 503 : 500);
    response.setHeader('Retry-After', (error as Overloaded).retryAfter ?? 0).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  close = () => server.close();
});
afterEach(() => close());

const statusOf = async (path: string) => (await raw(url, get(path))).status;

it('requests are refused with 503 while the event loop is late, and served again afterwards', async () => {
  const all = await Promise.all(Array.from({ length: 100 }, () => raw(url, get('/slow'))));
  const refused = all.filter(({ status }) => status === 503);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]?.headers['retry-after']).toBe('2');
  expect(all.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
  expect(all.length).toBe(100);
  await eventually(async () => expect(await statusOf('/slow')).toBe(200));
});

it('health checks succeed while other requests are refused', async () => {
  const slow = Array.from({ length: 100 }, () => statusOf('/slow'));
  const health = Array.from({ length: 50 }, () => statusOf('/health/live'));
  expect(new Set(await Promise.all(health))).toEqual(new Set([200]));
  expect(await Promise.all(slow)).toContain(503);
});

it('players in an attempt are served until the event loop is four times as late', () => {
  jest.useFakeTimers();
  let now = 0;
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
  try {
    const shed = shedLoad(new EventEmitter() as Server, 50);
    const isRefused = (path: string) => {
      const request = { path } as Request;
      const next = jest.fn();
      shed(request, {} as Response, next);
      return next.mock.calls[0]?.[0] instanceof Overloaded || request.refusal !== undefined;
    };
    const paths = [
      '/',
      '/play/rivers',
      '/api/v1/quizzes',
      '/api/v1/attempts/1/answers',
      '/play/rivers/1',
    ];
    const refused = () => paths.filter(isRefused);
    expect(refused()).toEqual([]);
    now = 300;
    jest.advanceTimersByTime(50);
    now += 100;
    expect(refused()).toEqual(paths.slice(0, 3));
    now += 200;
    expect(refused()).toEqual(paths);
  } finally {
    clock.mockRestore();
    jest.useRealTimers();
  }
});
