import { eventually } from '../support/clock';
import { type Receiver, startReceiver } from '../support/receiver';
import { type Service, startService, type TestAccount } from '../support/service';
import { startWorkerBeside } from '../support/worker-beside';
import { createQuiz } from '../support/writing';

/** Webhooks to the machine of the service, as outside production without any setting. */

let service: Service;
let receiver: Receiver;
let worker: { close(): Promise<void> };
let account: TestAccount;
beforeAll(async () => {
  receiver = await startReceiver();
  service = await startService();
  worker = await startWorkerBeside(service);
  account = await service.account();
});
afterAll(async () => {
  await worker.close();
  await service.close();
  await receiver.close();
});

const add = (url: string) => account.post('/webhooks', { url, events: ['quiz.created'] });

/** The only attempt of the endpoint's newest delivery, once it has ended. */
const newestAttempt = (endpoint: string) =>
  eventually(async () => {
    const { body } = await account.get(`/deliveries?endpoint=${endpoint}`).expect(200);
    const { body: one } = await account.get(`/deliveries/${body.data[0].id}`).expect(200);
    expect(one.data.attemptLog).toHaveLength(1);
    return one.data.attemptLog[0] as { status: number | null; error: string | null };
  });

test('an endpoint at http://localhost is configured, tested and delivered to without a setting', async () => {
  const url = receiver.url('/local').replace('127.0.0.1', 'localhost');
  const { body } = await add(url).expect(201);
  expect(body.data.url).toBe(url);
  await account.post(`/webhooks/${body.data.id}/test`).expect(202);
  expect(await newestAttempt(body.data.id)).toMatchObject({ status: 204, error: null });
  await createQuiz(account);
  await eventually(() =>
    expect(receiver.at('/local').map(({ headers }) => headers['x-service-event'])).toEqual([
      'webhook.test',
      'quiz.created',
    ]),
  );
});

test.each([
  'http://10.0.0.1/hook',
  'https://10.0.0.1/hook',
  'https://169.254.169.254/latest/meta-data',
  'https://192.168.0.10/',
  'https://[::ffff:127.0.0.1]/',
  'http://redis:6379/',
  'https://host.docker.internal/',
  'http://hooks.example.com/',
])('an endpoint at %s is refused, and the message says what is allowed', async (url) => {
  const { body } = await add(url).expect(422);
  expect(body.details[0]).toMatchObject({ path: 'url' });
  expect(body.details[0].message).toContain('localhost, 127.0.0.1 or [::1]');
  expect(body.details[0].message).toContain('WEBHOOK_ALLOW_INSECURE=true');
});

test('a test event to a private address that was configured otherwise is not sent', async () => {
  const { body } = await add(receiver.url('/changed')).expect(201);
  const { id } = body.data as { id: string };
  // As by a service that was started with WEBHOOK_ALLOW_INSECURE=true before.
  await service.database.query(
    `UPDATE webhook_endpoints SET url = 'http://10.0.0.1:4000/' WHERE id = $1`,
    [id],
  );
  await account.post(`/webhooks/${id}/test`).expect(202);
  expect(await newestAttempt(id)).toMatchObject({ status: null, error: 'address_refused' });
});
