import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DeliverySender } from '../../../src/webhooks/sending/delivery-sender';
import { audit } from '../harness/audit';
import type { FaultCase, Suite } from '../harness/case';
import { atTheEnd } from '../harness/cleanup';
import { type Names, NameServer } from '../harness/name-server';
import { Receiver } from '../harness/receiver';
import { hold } from '../harness/until';

const EVENTS = 3;
/** A public address that is in no answer alone, so that nothing is ever sent to it. */
const PUBLIC = '93.184.215.14';

/** The hosts of the rows, and what the harness's name server says of them. */
const NAMES: Names = {
  'silent.receiver.com': 'silence',
  'mixed.receiver.com': [PUBLIC, '127.0.0.1'],
  'private.receiver.com': ['127.0.0.1'],
};

let nameServer: NameServer | undefined;
let listener: { connections: number } | null = null;

/** A delivery to a host, of which the worker must fail every attempt with the code. */
function row(when: string, host: string, code: string): FaultCase {
  return {
    broken: 'DNS',
    when,
    async run(fixture) {
      const it = await fixture.subscriber({ url: `https://${host}/` });
      await fixture.emit(it, EVENTS);
      await fixture.settled([it]);
      const rows = await fixture.query<{ error: string }>(
        `SELECT a.error FROM webhook_attempts a JOIN webhook_deliveries d ON d.id = a.delivery_id
         WHERE d.endpoint_id = $1`,
        [it.endpointId],
      );
      const found = [...new Set(rows.map(({ error }) => error))].join();
      hold(found === code, `attempts came to ${found}, not ${code}`);
      hold(nameServer?.asked.includes(host), 'the name server was never asked');
      const connections = listener?.connections ?? 0;
      hold(connections === 0, `${connections} connections to a private address`);
      const count = await audit(fixture, [it], { status: 'failed', unseen: true });
      // Where port 443 is not ours, nobody has looked.
      const connected = listener ? ', no connection' : '';
      const attempts = fixture.retryDelays.length + 1;
      return { ...count, note: `${code}, ${attempts} attempts each${connected}` };
    },
  };
}

/** Where connections to 127.0.0.1 would come in; null where that port is not ours to open. */
async function listenOn443(): Promise<{ connections: number } | null> {
  const seen = { connections: 0 };
  const server = createServer((socket) => {
    seen.connections++;
    socket.destroy();
  }).listen(443, '127.0.0.1');
  atTheEnd(() => server.close());
  return once(server, 'listening').then(
    () => seen,
    () => null,
  );
}

/**
 * Row `DNS`. It has nothing to do with the queue. The worker, as in production, takes https and public addresses only; it
 * asks the harness's name server instead of the system's (name-server.cjs).
 */
export const names: Suite = {
  queues: 'once',
  atOnce: true,
  settings: { WEBHOOK_ALLOW_INSECURE: 'false' },
  async prepare(fixture) {
    nameServer = await NameServer.start(NAMES);
    listener = await listenOn443();
    await fixture.start('worker.js', { FAULTS_NAME_SERVER: nameServer.address }, [
      '--require',
      join(__dirname, '../harness/name-server.cjs'),
    ]);
  },
  cases: [
    row('NXDOMAIN', 'missing.receiver.com', 'dns_error'),
    row('name server never responds', 'silent.receiver.com', 'timeout'),
    row('public and private addresses mixed', 'mixed.receiver.com', 'address_refused'),
    row('a private address', 'private.receiver.com', 'address_refused'),
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
          url: `http://hooks.receiver.com:${port}/`,
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
