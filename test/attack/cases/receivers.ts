import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EndpointsService } from '../../../src/webhooks/endpoints/endpoints.service';
import { atTheEnd } from '../../faults/harness/cleanup';
import { hold, until } from '../../faults/harness/until';
import type { AttackTarget } from '../harness/attack-target';
import type { AttackCase, Subject } from '../harness/case';

let receivers: ChildProcess | undefined;

/** Says something to the process of the hostile receivers, which is started first. @returns its reply */
async function ask<Reply>(): Promise<Reply> {
  if (receivers) receivers.send('look');
  else {
    receivers = fork(join(__dirname, '../harness/receivers.ts'));
    atTheEnd(() => receivers?.kill('SIGKILL'));
    origin = `http://127.0.0.1:${((await reply()) as { port: number }).port}`;
    return ask();
  }
  return (await reply()) as Reply;
}

let origin = '';
const reply = async () => {
  const [message] = (await once(receivers as ChildProcess, 'message')) as [unknown];
  return message;
};

const ENDPOINTS = 18;
const MS = 3_000;

/** One account with 18 endpoints, each of which does one of these things to every delivery. */
const hostile = (name: string, behaviours: string[], outcomes: string[]): AttackCase => ({
  name,
  async run(target) {
    await ask();
    const { fixture } = target;
    const endpoints = fixture.services.get(EndpointsService);
    const url = (number: number) => `${origin}/${behaviours[number % behaviours.length]}`;
    const account = await fixture.subscriber({ url: url(0) });
    const ids = [account.endpointId];
    while (ids.length < ENDPOINTS) {
      const settings = { url: url(ids.length), events: ['quiz.created' as const] };
      ids.push((await endpoints.add(account.accountId, settings)).endpoint.id);
    }
    const figures = await target.beside(async () => {
      await fixture.emit(account, 20);
      await sleep(MS);
      const isEachTried = async () => (await tried(target, ids)).endpoints === ENDPOINTS;
      await until('an attempt at each', isEachTried, 10_000);
    });
    const { found } = await tried(target, ids);
    for (const id of ids) await endpoints.remove('operator', id);
    hold(
      found.join() === outcomes.join(),
      `attempts came to ${found.join()}, not ${outcomes.join()}`,
    );
    const { followed } = await ask<{ followed: number }>();
    hold(followed === 0, `${followed} redirects were followed`);
    return `${found.join(', ')}; ${figures}`;
  },
});

/** At how many endpoints an attempt has ended, and what attempts came to: `timeout`, `302`. */
async function tried(target: AttackTarget, ids: string[]) {
  const rows = await target.fixture.query<{ endpoint: string; outcome: string }>(
    `SELECT DISTINCT d.endpoint_id AS endpoint, coalesce(a.error, a.status::text) AS outcome
     FROM webhook_attempts a JOIN webhook_deliveries d ON d.id = a.delivery_id WHERE d.endpoint_id = ANY($1)`,
    [ids],
  );
  return {
    endpoints: new Set(rows.map(({ endpoint }) => endpoint)).size,
    found: [...new Set(rows.map(({ outcome }) => outcome))].sort(),
  };
}

/** Receivers that do harm to the worker, or to everybody's webhooks. */
export const RECEIVERS: Subject = {
  name: 'receivers',
  cases: [
    hostile('18 endpoints never respond', ['silence'], ['timeout']),
    hostile('18 endpoints respond 200 after most of the time-out', ['slow'], ['200']),
    hostile('drips of headers and bodies', ['drip-header', 'drip-body'], ['timeout']),
    hostile('headers without end', ['headers', 'one-header'], ['protocol_error']),
    hostile(
      'bytes before or between the response',
      ['hints', 'extension', 'chunks', 'noise'],
      ['200', 'protocol_error', 'response_too_large'],
    ),
    hostile('bodies of 10 GB, plain and packed', ['body', 'gzip'], ['200']),
    hostile('connections that are reset', ['reset', 'reset-midway'], ['connection_reset']),
    hostile(
      'redirects to private addresses',
      ['redirect-302', 'redirect-307', 'redirect-308'],
      ['302', '307', '308'],
    ),
  ],
};
