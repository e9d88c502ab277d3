// The attacker's process: hostile clients. See attacker.ts.
import { randomUUID } from 'node:crypto';
import { Agent, request as send } from 'node:http';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Flood, Holding, Repeated, Request, Statuses } from './attacker';

interface Order {
  port: number;
  attack: Holding | Flood;
  network: string;
}

const HOST = 'Host: quiz.test\r\n';

/** They never close their side. */
function hold(port: number, { kind, path, address }: Holding): void {
  // allowHalfOpen is of the socket, not of its connection.
  const socket = new Socket({ allowHalfOpen: true });
  socket.connect({ port, host: '127.0.0.1', localAddress: address });
  socket.on('error', () => undefined);
  if (kind === 'unread') {
    socket.pause();
    // As many ahead as a connection may send.
    socket.write(`GET ${path} HTTP/1.1\r\n${HOST}\r\n`.repeat(16));
  } else socket.resume();
  if (kind === 'half-header') socket.write('GET / HTTP/1.1\r\nHo');
  if (kind !== 'drip') return;
  const type = 'Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n';
  socket.write(`POST ${path} HTTP/1.1\r\n${HOST}${type}`);
  setInterval(() => socket.writable && socket.write(' '), 1_000);
}

let statuses: Statuses = {};

/** @returns the status, 0 when none came */
function one(place: object, { path, method = 'GET', headers }: Request, body?: Buffer) {
  return new Promise<number>((resolve) => {
    const length = body && { 'Content-Length': String(body.length) };
    const it = send({ ...place, path, method, headers: { ...headers, ...length } }, (response) =>
      response
        .resume()
        .once('end', () => resolve(response.statusCode ?? 0))
        .once('error', () => resolve(0)),
    );
    it.once('error', () => setTimeout(resolve, 20, 0)).end(body);
  });
}

async function flood(port: number, attack: Flood, network: string): Promise<void> {
  const { requests, connections, addresses = 1, pause = 0 } = attack;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  let sent = 0;
  const go = async () => {
    while (!attack.once || sent < requests.length) {
      const number = sent++;
      const request = requests[number % requests.length];
      if (!request) return;
      const localAddress = `${network}.${1 + (number % addresses)}`;
      const place = { host: '127.0.0.1', port, localAddress, agent };
      const headers = { ...request.headers, ...freshKey(request) };
      const status = await one(place, { ...request, headers }, bytesOf(request.body));
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (pause > 0) await sleep(pause);
    }
  };
  await Promise.all(Array.from({ length: connections }, go));
  process.send?.(statuses);
}

/** `Idempotency-Key: fresh` stands for a key that was never used. */
const freshKey = ({ headers }: Request) =>
  headers?.['Idempotency-Key'] === 'fresh' && { 'Idempotency-Key': randomUUID() };

function bytesOf(body: string | Repeated | undefined): Buffer | undefined {
  if (body === undefined) return undefined;
  if (typeof body === 'string') return Buffer.from(body);
  const { start, middle, end, size } = body;
  const bytes = Buffer.alloc(size, middle);
  // Each character is a byte: files are recognised by their first bytes.
  bytes.write(start, 'latin1');
  bytes.write(end, size - Buffer.byteLength(end));
  return bytes;
}

process.on('message', (message: Order | 'look') => {
  if (message === 'look') {
    process.send?.(statuses);
    statuses = {};
    return;
  }
  const { port, attack, network } = message;
  if (attack.kind === 'flood') {
    void flood(port, attack, network);
    setTimeout(() => process.send?.({}), attack.once ? 0 : 500);
    return;
  }
  for (let number = 0; number < attack.connections; number++)
    setTimeout(() => hold(port, attack), number / 2);
  setTimeout(() => process.send?.({}), attack.connections / 2 + 500);
});
process.on('disconnect', () => process.exit());
