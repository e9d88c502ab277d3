import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { loadConfig } from '../config/config';
import { createRedis, impatientRedis, redisFacts, redisPlace } from './redis';

const PEM = join(__dirname, '../../../test/faults/fixtures');
const pem = (name: string) => readFileSync(join(PEM, `${name}.pem`));

type Reply = (command: string[], socket: Socket) => string | null;

const open = new Set<Server | Socket>();
afterEach(() => {
  for (const it of open) if ('destroy' in it) it.destroy();
  for (const it of open) if ('listen' in it) it.close();
  open.clear();
});

/** A server that speaks as much of the protocol of Redis as ioredis needs. */
class FakeRedis {
  readonly commands: string[] = [];
  connections = 0;

  private constructor(private readonly server: Server) {}

  /** @param reply to a command; null: none */
  static async start(reply: Reply = asRedis, isTls = false): Promise<FakeRedis> {
    const server = isTls
      ? createTlsServer({ key: pem('key'), cert: pem('localhost') })
      : createServer();
    const fake = new FakeRedis(server);
    server.on(isTls ? 'secureConnection' : 'connection', (socket: Socket) => {
      fake.connections++;
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('data', (data) => {
        for (const [text] of data.toString().matchAll(/\*\d+\r\n(?:\$\d+\r\n.*\r\n)+/g)) {
          const command = [...text.matchAll(/\$\d+\r\n(.*)\r\n/g)].map(([, part]) => part!);
          fake.commands.push(command.join(' '));
          const sent = reply(command, socket);
          if (sent !== null) socket.write(sent);
        }
      });
    });
    open.add(server);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return fake;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }
}

const INFO = 'redis_version:7.0.15\r\nrole:master\r\nmaxmemory_policy:noeviction';

const asRedis: Reply = ([name]) =>
  name?.toLowerCase() === 'info' ? `$${INFO.length}\r\n${INFO}\r\n` : '+OK\r\n';

const asSentinelOf =
  (port: () => number): Reply =>
  ([, question]) =>
    question === 'get-master-addr-by-name'
      ? `*2\r\n$9\r\n127.0.0.1\r\n$${String(port()).length}\r\n${port()}\r\n`
      : '*0\r\n';

const silent: Reply = () => null;

const placeOf = (url: string, sentinels: readonly { port: number }[] = []) =>
  redisPlace(
    loadConfig({
      REDIS_URL: url,
      REDIS_SENTINELS: sentinels.map(({ port }) => `127.0.0.1:${port}`).join(),
    }),
  )!;

it('rediss:// with REDIS_SENTINELS encrypts the connections to the Sentinels and to the server', async () => {
  const server = await FakeRedis.start(asRedis, true);
  const sentinel = await FakeRedis.start(
    asSentinelOf(() => server.port),
    true,
  );
  const place = placeOf('rediss://:top-secret@quiz', [sentinel]);
  const ca = pem('ca');
  const redis = createRedis({
    ...place,
    ...(place.tls && { tls: { ...place.tls, ca } }),
    ...(place.sentinelTLS && { sentinelTLS: { ...place.sentinelTLS, ca } }),
    lazyConnect: true,
    sentinelRetryStrategy: () => null,
    retryStrategy: () => null,
  });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
  } finally {
    redis.disconnect();
  }
  expect(server.commands).toContain('auth top-secret');
  expect(sentinel.commands).toContain('sentinel get-master-addr-by-name quiz');
});

it('rediss:// with REDIS_SENTINELS sends nothing in clear text', async () => {
  const received: Buffer[] = [];
  const plain = createServer((socket) => {
    open.add(socket.on('error', () => undefined).on('data', (data) => received.push(data)));
  });
  open.add(plain);
  await new Promise<void>((done) => plain.listen(0, '127.0.0.1', done));
  const { port } = plain.address() as AddressInfo;
  const place = placeOf('rediss://:top-secret@quiz', [{ port }]);
  const redis = impatientRedis(place, 'test');
  redis.on('error', () => undefined);
  void redis.connect().catch(() => undefined);
  while (received.length === 0) await sleep(5);
  redis.disconnect();
  // A handshake of TLS.
  expect(received[0]![0]).toBe(22);
});

it('a Sentinel that accepts connections and says nothing is passed over', async () => {
  const server = await FakeRedis.start();
  const sentinels = [
    await FakeRedis.start(silent),
    await FakeRedis.start(asSentinelOf(() => server.port)),
  ];
  const redis = impatientRedis(placeOf('redis://quiz', sentinels), 'test');
  redis.on('error', () => undefined);
  await redis.connect();
  expect(await redis.ping()).toBe('OK');
  redis.disconnect();
});

it('a connection that drops with a command in flight does not end the next one', async () => {
  const server = await FakeRedis.start(([name, key], socket) => {
    if (name !== 'get' || key !== 'drop') return asRedis([name!], socket);
    socket.destroy();
    return null;
  });
  const redis = impatientRedis(placeOf(`redis://127.0.0.1:${server.port}`), 'test');
  redis.on('error', () => undefined);
  await redis.connect();
  await expect(redis.get('drop')).rejects.toThrow();
  while (redis.status !== 'ready') await sleep(5);
  const failures: unknown[] = [];
  for (let command = 0; command < 30; command++) {
    await redis.get('key').catch((error: unknown) => failures.push(error));
    await sleep(50);
  }
  redis.disconnect();
  expect(failures).toEqual([]);
  expect(server.connections).toBe(2);
});

it('the facts of a Redis that says nothing are given up after four seconds', async () => {
  const server = await FakeRedis.start(silent);
  const place = placeOf(`redis://127.0.0.1:${server.port}`);
  // A timer of this process: on a busy machine both are late.
  const late = sleep(4_500, 'late', { ref: false });
  await expect(Promise.race([redisFacts(place), late])).rejects.toThrow(
    'no response within 4000 ms',
  );
});

it('the facts of a group whose Sentinels say nothing are given up', async () => {
  const sentinels = [await FakeRedis.start(silent)];
  await expect(redisFacts(placeOf('redis://quiz', sentinels))).rejects.toThrow(
    'All sentinels are unreachable',
  );
});

it('the facts come from the server that a Sentinel names', async () => {
  const server = await FakeRedis.start();
  const sentinel = await FakeRedis.start(asSentinelOf(() => server.port));
  expect(await redisFacts(placeOf('redis://quiz', [sentinel]))).toMatchObject({
    version: '7.0.15',
    evictionPolicy: 'noeviction',
  });
});
