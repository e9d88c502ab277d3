import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** One request as it arrived. */
interface Received {
  at: number;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** Of the envelope. */
  id: string;
}

/** How the receiver answers. */
interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body?: string;
  /** Milliseconds before the headers, or what they wait for. */
  delay?: number | Promise<void>;
  /** Never answers. */
  hang?: boolean;
  /** Closes the connection instead of answering. */
  reset?: boolean;
}

/** A webhook receiver on a loopback port, programmable by path. */
export interface Receiver {
  /** The URL of a path. */
  url(path?: string): string;
  received: Received[];
  /** Requests now open, and the most there were at a time, by path. */
  open: Map<string, number>;
  most: Map<string, number>;
  /** The answers of a path in order; the last one stays. A function decides for itself. */
  answers(path: string, ...responses: (Answer | ((request: Received) => Answer))[]): void;
  /** The requests to a path. */
  at(path: string): Received[];
  close(): Promise<void>;
}

/** Answers 204 unless it is told otherwise. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const open = new Map<string, number>();
  const most = new Map<string, number>();
  const programs = new Map<string, (Answer | ((request: Received) => Answer))[]>();
  const sockets = new Set<Socket>();
  const count = (path: string, by: number) => {
    const now = (open.get(path) ?? 0) + by;
    open.set(path, now);
    most.set(path, Math.max(most.get(path) ?? 0, now));
  };

  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    const chunks: Buffer[] = [];
    count(path, 1);
    response.once('close', () => count(path, -1));
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const arrived = { at: Date.now(), path, headers: request.headers, body, id: idOf(body) };
      received.push(arrived);
      const program = programs.get(path) ?? [];
      const step = program.length > 1 ? program.shift() : program[0];
      void answer(response, typeof step === 'function' ? step(arrived) : (step ?? {}));
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;

  return {
    url: (path = '/') => `http://127.0.0.1:${port}${path}`,
    received,
    open,
    most,
    answers: (path, ...responses) => void programs.set(path, responses),
    at: (path) => received.filter((it) => it.path === path),
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((done) => server.close(() => done()));
    },
  };
}

async function answer(response: ServerResponse, it: Answer): Promise<void> {
  if (it.hang) return;
  await (typeof it.delay === 'number' ? sleep(it.delay) : it.delay);
  if (it.reset) response.socket?.destroy();
  else response.writeHead(it.status ?? 204, it.headers).end(it.body);
}

function idOf(body: string): string {
  try {
    return (JSON.parse(body) as { id: string }).id;
  } catch {
    return '';
  }
}
