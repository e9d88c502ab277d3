import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv4 } from 'node:net';
import { atTheEnd } from './cleanup';

/** What names resolve to. One that is missing does not exist (NXDOMAIN). */
export type Names = Record<string, string[] | 'silence'>;

const A = 1;
const NXDOMAIN = 3;

/** A name server on loopback, as much of one as A and AAAA queries need (RFC 1035). */
export class NameServer {
  /** The names it was asked for, in order. */
  readonly asked: string[] = [];

  private constructor(private readonly socket: Socket) {}

  static async start(names: Names): Promise<NameServer> {
    const socket = createSocket('udp4');
    const server = new NameServer(socket);
    socket.on('message', (query, { address, port }) => {
      const { name, type, end } = readQuestion(query);
      server.asked.push(name);
      const found = names[name];
      if (found !== 'silence')
        socket.send(reply(query.subarray(0, end), type, found), port, address);
    });
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    atTheEnd(() => socket.close());
    return server;
  }

  get address(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** @param question the query up to the end of its one question */
function reply(question: Buffer, type: number, found: string[] | undefined): Buffer {
  const addresses = type === A ? (found ?? []).filter(isIPv4) : [];
  const head = Buffer.from(question);
  // A response, recursion available.
  head.writeUInt16BE(0x8180 | (found ? 0 : NXDOMAIN), 2);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt32BE(0, 8);
  const answers = addresses.map((address) =>
    Buffer.from([0xc0, 12, 0, A, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
  );
  return Buffer.concat([head, ...answers]);
}
