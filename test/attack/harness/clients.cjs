// The attacker: hostile clients that never close their side. See attacker.ts.
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
  else if (kind !== 'flood') socket.resume();
  if (kind === 'half-header') socket.write('GET / HTTP/1.1\r\nHo');
  if (kind === 'unread') socket.write(GET.repeat(50));
  if (kind === 'drip') {
    socket.write(POST);
    setInterval(() => socket.writable && socket.write(' '), 1_000);
  }
  if (kind === 'flood') {
    // The next request as soon as something of the last response has come.
    socket.on('data', () => socket.write(GET));
    socket.on('close', () => setTimeout(open, 20));
    socket.on('end', () => socket.destroy());
    socket.write(GET);
  }
}

for (let number = 0; number < connections; number++) setTimeout(open, number / 2);
setTimeout(() => process.send('attacking'), connections / 2 + 500);
process.on('disconnect', () => process.exit());
