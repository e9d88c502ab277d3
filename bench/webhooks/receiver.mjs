// The subscriber of all contenders: answers 204 and keeps what came.
// Messages: { expect: number } → 'ready', then 'arrived' when so many have come; 'hand over' → what came.
import { createServer } from 'node:http';

let arrivals = [];
let expected = Infinity;

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk) => (body += chunk));
  request.on('end', () => {
    arrivals.push({
      at: performance.timeOrigin + performance.now(),
      id: request.headers['x-service-delivery'],
      signature: request.headers['x-service-signature'],
      body,
    });
    response.writeHead(204).end();
    if (arrivals.length === expected) process.send('arrived');
  });
});
// The senders decide how long a connection is kept.
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send(`http://127.0.0.1:${server.address().port}`));

process.on('message', (message) => {
  if (message === 'hand over') {
    process.send(arrivals);
    return;
  }
  arrivals = [];
  expected = message.expect;
  process.send('ready');
});
process.on('disconnect', () => process.exit(0));
