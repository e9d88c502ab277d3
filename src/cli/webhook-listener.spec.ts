import { once } from 'node:events';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { Output } from './output';
import { WebhookListener } from './webhook-listener';

test('the listener survives a delivery whose connection breaks, and prints the next one', async () => {
  const stdout = new PassThrough();
  const listener = await WebhookListener.start(new Output(true, stdout), { port: 0, status: 200 });
  try {
    const { port } = new URL(listener.origin);
    const broken = connect(Number(port), '127.0.0.1');
    broken.end('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{');
    await once(broken.resume(), 'close');
    const response = await fetch(listener.origin, { method: 'POST', body: '{}' });
    expect(response.status).toBe(200);
    expect(listener.received).toBe(1);
  } finally {
    await listener.close();
  }
});
