// The attacker: hostile clients that never close their side. See attacker.ts.
const http = require('node:http');
const net = require('node:net');

const { kind, connections, path, port } = JSON.parse(process.argv[2]);
const HOST = 'Host: quiz.test\r\n';
const GET = `GET ${path} HTTP/1.1\r\n${HOST}\r\n`;
const POST = `POST ${path} HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n`;

function open() {
  const socket = net.connect({
    port,
    host: '127.0.0.1',
    localAddress: '127.0.0.2',
    allowHalfOpen: true,
  });
  socket.on('error', () => undefined);
  if (kind === 'unread') socket.pause();
  else socket.resume();
  if (kind === 'half-header') socket.write('GET / HTTP/1.1\r\nHo');
  if (kind === 'unread') socket.write(GET.repeat(16));
  if (kind === 'drip') {
    socket.write(POST);
    setInterval(() => socket.writable && socket.write(' '), 1_000);
  }
}

/** One request after the other. */
const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
function flood() {
  const place = { host: '127.0.0.1', port, localAddress: '127.0.0.2', agent, path };
  const next = () => setImmediate(flood);
  http
    .get(place, (response) => response.resume().once('end', next))
    .once('error', () => setTimeout(flood, 20));
}

for (let number = 0; number < connections; number++)
  setTimeout(kind === 'flood' ? flood : open, number / 2);
setTimeout(() => process.send('attacking'), connections / 2 + 500);
process.on('disconnect', () => process.exit());
