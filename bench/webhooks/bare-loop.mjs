// The floor: signs bodies and posts them with undici, and does nothing else.
// Messages: { deliveries: [{ url, id, body, secret }], inFlight } → 'ready'; 'go' → milliseconds it took.
import { createHmac } from 'node:crypto';
import { Agent } from 'undici';

let deliveries = [];
let inFlight = 1;
const agent = new Agent({ pipelining: 1, keepAliveTimeout: 2_000 });

async function post({ url: { origin, pathname }, id, body, secret }) {
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  const response = await agent.request({
    origin,
    path: pathname,
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': 'Service-Webhooks/1.0',
      'X-Service-Signature': `sha256=${signature}`,
      'X-Service-Event': 'quiz.created',
      'X-Service-Delivery': id,
    },
    body,
  });
  await response.body.dump();
  if (response.statusCode !== 204) throw new Error(`The receiver answered ${response.statusCode}.`);
}

async function postAll() {
  const begun = performance.now();
  let next = 0;
  const postInTurn = async () => {
    while (next < deliveries.length) await post(deliveries[next++]);
  };
  await Promise.all(Array.from({ length: inFlight }, postInTurn));
  return performance.now() - begun;
}

process.on('message', (message) => {
  if (message === 'go') {
    void postAll().then((took) => process.send(took));
    return;
  }
  deliveries = message.deliveries.map((it) => ({ ...it, url: new URL(it.url) }));
  inFlight = message.inFlight;
  process.send('ready');
});
process.on('disconnect', () => process.exit(0));
process.on('SIGTERM', () => process.exit(0));
process.send('started');
