// A client that costs little, because it shares two cores with what it measures: it sends the same bytes over each
// connection and counts the bytes of the responses. Their length changes with the seconds in RateLimit-Reset.
// Messages: { port, path, headers, connections, seconds, atLeast } → { count, took } or { error }.
import { once } from 'node:events';
import { connect } from 'node:net';

async function load({ port, path, headers, connections, seconds, atLeast }) {
  const lines = Object.entries({ Host: 'bench', ...headers }).map(([name, it]) => `${name}: ${it}`);
  const request = Buffer.from(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  const begun = performance.now();
  const ends = begun + seconds * 1_000;
  const enough = atLeast / connections;
  const counts = await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect(port, '127.0.0.1').setNoDelay();
      await once(socket, 'connect');
      return new Promise((resolve, reject) => {
        let [count, length, received] = [0, 0, 0];
        socket.on('error', reject);
        socket.on('close', () => reject(new Error(`closed after ${count} responses`)));
        socket.on('data', (bytes) => {
          // Other programs keep the cores busy: the service asks for another try after a second.
          if (received === 0 && bytes.subarray(0, 12).equals(BUSY)) {
            setTimeout(() => socket.write(request), 1_000);
            return;
          }
          if (received === 0) length = lengthOf(bytes);
          received += bytes.length;
          if (received < length) return;
          if (received !== length) {
            // NaN where the response is not as expected.
            const start = bytes.toString('latin1', 0, 500);
            socket.destroy(new Error(`unexpected response after ${count} others: ${start}`));
            return;
          }
          received = 0;
          count++;
          if (performance.now() < ends || count < enough) socket.write(request);
          else {
            socket.removeAllListeners('close').destroy();
            resolve(count);
          }
        });
        socket.write(request);
      });
    }),
  );
  return { count: counts.reduce((a, b) => a + b), took: performance.now() - begun };
}

/** How a response begins that refuses a request because of overload. */
const BUSY = Buffer.from('HTTP/1.1 503');

/** The length of a response with 200 whose head is in these bytes; NaN for any other. */
function lengthOf(bytes) {
  const text = bytes.toString('latin1');
  const end = text.indexOf('\r\n\r\n');
  const body = /^HTTP\/1\.1 200 [^]*?\r\ncontent-length: (\d+)\r\n/i.exec(
    text.slice(0, end + 2),
  )?.[1];
  return end + 4 + Number(body);
}

process.on('message', (message) =>
  load(message).then(
    (result) => process.send(result),
    (error) => process.send({ error: error.message }),
  ),
);
process.send('ready');
process.on('disconnect', () => process.exit(0));
