import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { Listener } from '../../src/platform/database/listener';
import { createLogger } from '../../src/platform/observability/logger';
import { eventually } from '../support/clock';
import { cloneDatabase, type TestDatabase } from '../support/database';

/** Longer than the time between two checks of the listener. */
const DELAY = 1_300;

describe('listening to notifications of a database that takes long to accept a connection', () => {
  let database: TestDatabase;
  let slow: Server;
  let observer: Client;
  let listener: Listener;
  const received: (string | null)[] = [];

  beforeAll(async () => {
    database = await cloneDatabase();
    observer = new Client({ connectionString: database.url });
    await observer.connect();
    const { hostname, port } = new URL(database.url);
    slow = createServer((near) => {
      near.on('error', () => undefined);
      setTimeout(() => {
        const far = connect({ host: hostname, port: Number(port) });
        far.on('error', () => undefined);
        near.pipe(far).pipe(near);
      }, DELAY);
    }).listen(0, '127.0.0.1');
    await once(slow, 'listening');
  });
  beforeEach(() => {
    const url = new URL(database.url);
    url.host = `127.0.0.1:${(slow.address() as AddressInfo).port}`;
    listener = new Listener(
      { options: { url: url.href } } as unknown as DataSource,
      createLogger('silent'),
      { about: 'tests', name: 'tests' },
      (payload) => received.push(payload),
    );
  });
  afterEach(() => listener.stop());
  afterAll(async () => {
    await new Promise((resolve) => slow.close(resolve));
    await observer.end();
    await database.drop();
  });

  const connections = async () => {
    const { rows } = await observer.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE application_name = 'quiz-tests' AND datname = current_database()`,
    );
    return rows.length;
  };

  it('opens one connection, receives each notification once, and closes it when it stops', async () => {
    listener.start();
    await eventually(() => expect(received).toHaveLength(1));
    // A second attempt that began meanwhile would be connected by then.
    await sleep(2 * DELAY);
    await observer.query(`NOTIFY tests, 'one'`);
    await eventually(() => expect(received).toContain('one'));
    expect(await connections()).toBe(1);
    expect(received).toEqual([null, 'one']);
    await listener.stop();
    await eventually(async () => expect(await connections()).toBe(0));
  });

  it('leaves no connection when it stops while it connects', async () => {
    listener.start();
    await listener.stop();
    await sleep(2 * DELAY);
    expect(await connections()).toBe(0);
  });
});
