import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DeliverySender } from '../../../src/webhooks/sending/delivery-sender';
import { audit } from '../harness/audit';
import type { FaultCase, Suite } from '../harness/case';
import { type Names, NameServer } from '../harness/name-server';
import { Receiver } from '../harness/receiver';
import { hold } from '../harness/until';

const EVENTS = 3;
const ATTEMPTS = 4;
const HOST = 'hooks.receiver.com';
/** A public address that is in no answer alone, so that nothing is ever sent to it. */
const PUBLIC = '93.184.215.14';

/**
 * A worker as in production, which takes https and public addresses only, asks the harness's name server instead of
 * the system's (name-server.cjs) and must fail every attempt with the code.
 */
function row(when: string, names: Names, code: string): FaultCase {
  return {
    broken: 'DNS',
    when,
    async run(fixture) {
      const server = await NameServer.start(names);
      const listener = await listenOn443();
      const worker = await fixture.start('worker.js', { FAULTS_NAME_SERVER: server.address }, [
        '--require',
        join(__dirname, '../harness/name-server.cjs'),
      ]);
      const it = await fixture.subscriber({ url: `https://${HOST}/` });
      await fixture.emit(it, EVENTS);
      await fixture.settled([it]);
      await worker.kill();
      const rows = await fixture.query<{ error: string }>(
        `SELECT a.error FROM webhook_attempts a JOIN webhook_deliveries d ON d.id = a.delivery_id
         WHERE d.endpoint_id = $1`,
        [it.endpointId],
      );
      const found = [...new Set(rows.map(({ error }) => error))].join();
      hold(found === code, `attempts came to ${found}, not ${code}`);
      hold(server.asked.length > 0, 'the name server was never asked');
      const connections = listener?.connections ?? 0;
      hold(connections === 0, `${connections} connections to a private address`);
      listener?.close();
      server.close();
      const count = await audit(fixture, [it], { status: 'failed', unseen: true });
      return { ...count, note: `${code}, ${ATTEMPTS} attempts each, no connection` };
    },
  };
}

/** Where connections to 127.0.0.1 would come in; null where that port is not ours to open. */
async function listenOn443(): Promise<{ connections: number; close: () => void } | null> {
  const seen = { connections: 0, close: () => void server.close() };
  const server = createServer((socket) => {
    seen.connections++;
    socket.destroy();
  }).listen(443, '127.0.0.1');
  return Promise.race([
    once(server, 'listening').then(() => seen),
    once(server, 'error').then(() => null),
  ]);
}

/** Row `DNS`. It has nothing to do with the queue. */
export const names: Suite = {
  queues: 'once',
  settings: { WEBHOOK_ALLOW_INSECURE: 'false' },
  cases: [
    row('NXDOMAIN', {}, 'dns_error'),
    row('name server never responds', { [HOST]: 'silence' }, 'timeout'),
    row('public and private addresses mixed', { [HOST]: [PUBLIC, '127.0.0.1'] }, 'address_refused'),
    row('public when configured, now private', { [HOST]: ['127.0.0.1'] }, 'address_refused'),
    {
      broken: 'DNS',
      when: 'another address at each lookup (rebinding; the sender alone)',
      async run(fixture) {
        // Loopback on both sides, for nothing here leaves the machine: what is shown is that the name is looked
        // up once for a connection, and that the connection goes where that answer said.
        const receiver = await Receiver.start();
        let looks = 0;
        const sender = new DeliverySender({
          allowInsecure: true,
          resolve: () => Promise.resolve([++looks === 1 ? '127.0.0.1' : '127.0.0.2']),
        });
        const { port } = new URL(receiver.origin);
        const outcome = await sender.sendDelivery({
          url: `http://${HOST}:${port}/`,
          body: '{}',
          headers: {},
          timeoutMs: fixture.timeout,
        });
        await sender.close();
        receiver.close();
        hold(outcome.status === 204, `the attempt came to ${outcome.error ?? outcome.status}`);
        hold(looks === 1, `the name was looked up ${looks} times for one connection`);
        return { note: 'looked up once, connected to that address' };
      },
    },
  ],
};
