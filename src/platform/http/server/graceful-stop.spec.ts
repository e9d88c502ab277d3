import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { drainable } from './graceful-stop';

describe('a graceful stop', () => {
  let server: Server;
  let stop: () => Promise<void>;
  let waiting: ServerResponse[];

  beforeEach(async () => {
    waiting = [];
    server = createServer((_, response) => {
      waiting.push(response);
      server.emit('waiting');
    });
    // Node closes no idle connection by itself.
    server.keepAliveTimeout = 0;
    stop = drainable(server);
    await once(server.listen(0), 'listening');
  });

  /** Sends a request on a new connection, and waits until the server has it. */
  async function request(): Promise<Socket> {
    const client = connect((server.address() as AddressInfo).port).setEncoding('utf8');
    const arrived = once(server, 'waiting');
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await arrived;
    return client;
  }

  it('a stop closes the connection of a request in progress with its response', async () => {
    const client = await request();
    const begun = performance.now();
    const stopped = stop();
    waiting[0]?.end('done');
    const [response] = (await once(client, 'data')) as [string];
    expect(response).toMatch(/^HTTP\/1\.1 200 [^]*\r\nConnection: close\r\n/);
    await stopped;
    // Idle connections stay open for two seconds: this one was not among them.
    expect(performance.now() - begun).toBeLessThan(2_000);
  });

  it('a stop closes a connection that stayed open after its response once it has been idle', async () => {
    const client = await request();
    waiting[0]?.write('the headers are sent, ');
    await once(client, 'data');
    const closed = once(client, 'close');
    const stopped = stop();
    waiting[0]?.end('and now the rest');
    await Promise.all([closed, stopped]);
    expect(client.destroyed).toBe(true);
  });

  it('a stop closes a connection on which nothing was sent', async () => {
    const client = connect((server.address() as AddressInfo).port);
    await once(server, 'connection');
    const closed = once(client, 'close');
    await Promise.all([closed, stop()]);
    expect(client.bytesRead).toBe(0);
  });
});
