import { Client } from 'pg';
import { DeliveryQueue } from '../../src/webhooks/relay/delivery-queue';
import { eventually } from '../support/clock';
import { onBothQueues } from '../support/queues';
import { type Receiver, startReceiver } from '../support/receiver';
import { createFixture, type WebhookFixture } from '../support/worker';

onBothQueues(4, (env) => {
  let fixture: WebhookFixture;
  let receiver: Receiver;
  let server: Client;
  let account: string;

  beforeAll(async () => {
    receiver = await startReceiver();
    fixture = await createFixture(env);
    server = new Client({ connectionString: process.env.TEST_SERVER_URL });
    await server.connect();
    account = await fixture.account();
  });
  afterAll(async () => {
    await fixture.close();
    await server.end();
    await receiver.close();
  });

  const name = () => new URL(fixture.databaseUrl).pathname.slice(1);

  /** Cuts every connection to the database, and lets nobody in until `back`. */
  async function cutDatabase(): Promise<{ back: () => Promise<unknown> }> {
    await server.query(`ALTER DATABASE "${name()}" ALLOW_CONNECTIONS false`);
    await server.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1`,
      [name()],
    );
    return { back: () => server.query(`ALTER DATABASE "${name()}" ALLOW_CONNECTIONS true`) };
  }

  it('an attempt during which the database fails is not sent twice', async () => {
    const { id } = await fixture.endpoint(account, receiver.url('/mid-post'));
    receiver.answers('/mid-post', { delay: 800 });
    await fixture.emit(account);
    await eventually(() => expect(receiver.open.get('/mid-post')).toBe(1));
    const logged = fixture.log.length;
    const { back } = await cutDatabase();
    try {
      await eventually(() => expect(receiver.open.get('/mid-post')).toBe(0));
      // Long enough for every loop to have failed, and more than once.
      await new Promise((resolve) => setTimeout(resolve, 1_500));
    } finally {
      await back();
    }
    await eventually(async () =>
      expect(await fixture.logOf(id)).toMatchObject([{ status: 'delivered', attempts: 1 }]),
    );
    expect(receiver.at('/mid-post')).toHaveLength(1);
    const said = fixture.log.slice(logged).filter((line) => line.includes('the relay fails'));
    expect(said).toHaveLength(1);
  });

  it('the worker delivers again when the database returns', async () => {
    const { id } = await fixture.endpoint(account, receiver.url('/after'));
    const delivered = (count: number) =>
      eventually(async () =>
        expect((await fixture.logOf(id)).map(({ status }) => status)).toEqual(
          Array(count).fill('delivered'),
        ),
      );
    await fixture.emit(account);
    await delivered(1);
    const logged = fixture.log.length;
    const said = (text: string) =>
      fixture.log.slice(logged).filter((line) => line.includes(text)).length;
    const { back } = await cutDatabase();
    try {
      await eventually(() => expect(said('the relay fails')).toBe(1));
    } finally {
      await back();
    }
    await eventually(() => fixture.emit(account, 20));
    await delivered(21);
    await eventually(() => expect(said('the relay works again')).toBe(1));
    const queue = fixture.get(DeliveryQueue, { strict: false });
    await eventually(() => expect(queue.checkHealth()).toEqual({ state: 'up' }));
  });
});
