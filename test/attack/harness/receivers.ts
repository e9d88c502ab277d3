// The hostile receivers' process: what it does with a POST is the first part of the path. Started by hostile-receivers.
import { createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

const OK = 'HTTP/1.1 200 OK\r\n';
const FLOOD = Buffer.alloc(256 * 1024, 'x');
const BOMB = gzipSync(Buffer.alloc(10_000_000));

/** Writes the same again and again, until the other side has gone. */
const pump = (first: string, bytes: string | Buffer) => (socket: Socket) => {
  const write = () => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on('drain', write);
  socket.write(first);
  write();
};

const drip = (first: string, bytes: string) => (socket: Socket) => {
  socket.write(first);
  const timer = setInterval(() => socket.write(bytes), 500);
  socket.once('close', () => clearInterval(timer));
};

const once = (text: string) => (socket: Socket) => void socket.write(text);

const redirect = (status: number, to: string) =>
  once(`HTTP/1.1 ${status} Elsewhere\r\nLocation: ${to}\r\nContent-Length: 0\r\n\r\n`);

/** Requests that came to what a redirect names. */
let followed = 0;

const behaviours = (port: number): Record<string, (socket: Socket) => void> => ({
  silence: () => undefined,
  slow: (socket) => void setTimeout(() => socket.write(`${OK}Content-Length: 0\r\n\r\n`), 4_500),
  'drip-header': drip(OK, 'X'),
  'drip-body': drip(`${OK}Content-Length: 1000\r\n\r\n`, 'x'),
  headers: pump(OK, `X-Flood: ${'y'.repeat(1_000)}\r\n`),
  'one-header': pump(`${OK}X-Flood: `, FLOOD),
  hints: pump('', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(50)),
  extension: pump(`${OK}Transfer-Encoding: chunked\r\n\r\n1;`, FLOOD),
  chunks: pump(`${OK}Transfer-Encoding: chunked\r\n\r\n`, '1\r\nx\r\n'.repeat(5_000)),
  body: pump(`${OK}Content-Length: 10000000000\r\n\r\n`, FLOOD),
  gzip: pump(`${OK}Content-Encoding: gzip\r\nContent-Length: 10000000000\r\n\r\n`, BOMB),
  noise: pump('', Buffer.from([0, 255, 13, 10, 128])),
  reset: (socket) => void socket.resetAndDestroy(),
  'reset-midway': (socket) =>
    void socket.write(`${OK}Content-Length: 10\r\n\r\nx`, () => socket.resetAndDestroy()),
  'redirect-302': redirect(302, `http://127.0.0.1:${port}/followed`),
  'redirect-307': redirect(307, `http://localhost:${port}/followed`),
  'redirect-308': redirect(308, 'http://169.254.169.254/latest/meta-data/'),
  followed: (socket) => {
    followed++;
    socket.write(`${OK}Content-Length: 0\r\n\r\n`);
  },
});

const server = createServer((socket) => {
  socket.on('error', () => undefined);
  let text = '';
  const read = (bytes: Buffer) => {
    text += bytes.toString('latin1');
    const head = text.indexOf('\r\n\r\n');
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
    if (head < 0 || text.length < head + 4 + length) return;
    const name = /^[A-Z]+ \/([\w-]+)/.exec(text)?.[1] ?? '';
    text = '';
    const { port } = server.address() as { port: number };
    behaviours(port)[name]?.(socket);
  };
  socket.on('data', read);
}).listen(0, '127.0.0.1', () => process.send?.(server.address()));

process.on('message', () => process.send?.({ followed }));
process.on('disconnect', () => process.exit());
