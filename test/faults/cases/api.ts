import { audit } from '../harness/audit';
import type { Suite } from '../harness/case';
import { EVENTS_OF_A_QUIZ } from '../harness/fixture';
import { hold, until } from '../harness/until';

const ACCOUNTS = 5;

/** Rows `kill API`, and the worker that is down (guarantees 1 and 7). */
export const api: Suite = {
  queues: 'both',
  cases: [
    {
      broken: 'kill API',
      when: 'after the insert, before the commit',
      async run(fixture) {
        const subscribers = await fixture.subscribers(ACCOUNTS);
        await fixture.worker();
        const victim = await fixture.api();
        const gate = await fixture.gate({ table: 'outbox_events', on: 'INSERT', at: 'statement' });
        const requests = subscribers.map((it) => fixture.createQuiz(victim, it).catch(() => 0));
        await gate.reached(ACCOUNTS);
        await victim.kill();
        await gate.open();
        hold(
          (await Promise.all(requests)).every((status) => status === 0),
          'a request got a response',
        );
        // The second request of an account waits for the end of what the first has left behind.
        const heir = await fixture.api();
        for (const it of subscribers)
          hold((await fixture.createQuiz(heir, it)) === 201, 'the next API does not serve');
        await fixture.settled(subscribers);
        const count = await audit(fixture, subscribers);
        hold(
          count.events === ACCOUNTS * EVENTS_OF_A_QUIZ,
          `${count.events} events: some of a change that never happened`,
        );
        return { ...count, note: `${ACCOUNTS} creations killed: no event of theirs` };
      },
    },
    {
      broken: 'kill API',
      when: 'right after the commit, before anything else',
      async run(fixture) {
        const it = await fixture.subscriber();
        await fixture.worker();
        const victim = await fixture.api();
        const gate = await fixture.gate({ table: 'outbox_events', on: 'INSERT', at: 'commit' });
        const request = fixture.createQuiz(victim, it).catch(() => 0);
        await gate.reached();
        victim.freeze();
        await gate.open();
        await until('the commit', async () => {
          const committed = await fixture.query(
            `SELECT id FROM outbox_events WHERE account_id = $1`,
            [it.accountId],
          );
          return committed.length === EVENTS_OF_A_QUIZ;
        });
        await victim.kill();
        hold((await request) === 0, 'the request got a response');
        await fixture.settled([it]);
        return audit(fixture, [it]);
      },
    },
    {
      broken: 'kill API',
      when: 'right after the commit; the client repeats its request with its Idempotency-Key',
      async run(fixture) {
        const it = await fixture.subscriber();
        await fixture.worker();
        const victim = await fixture.api();
        const gate = await fixture.gate({ table: 'outbox_events', on: 'INSERT', at: 'commit' });
        const request = fixture.createQuiz(victim, it, 'once').catch(() => 0);
        await gate.reached();
        victim.freeze();
        await gate.open();
        const made = () =>
          fixture.query(`SELECT id FROM quizzes WHERE owner_id = $1`, [it.accountId]);
        await until('the commit', async () => (await made()).length === 1);
        await victim.kill();
        hold((await request) === 0, 'the request got a response');
        const heir = await fixture.api();
        for (let round = 0; round < 3; round++)
          hold(
            (await fixture.createQuiz(heir, it, 'once')) === 201,
            'the repetition gets no response',
          );
        hold((await made()).length === 1, 'the repetition made another quiz');
        await fixture.settled([it]);
        const count = await audit(fixture, [it]);
        hold(count.events === EVENTS_OF_A_QUIZ, `${count.events} events of one quiz`);
        return { ...count, note: 'one quiz; the repetition gets its response' };
      },
    },
    {
      broken: 'worker down',
      when: 'while the API is used',
      async run(fixture) {
        const subscribers = await fixture.subscribers(ACCOUNTS);
        await (await fixture.worker()).kill();
        const server = await fixture.api();
        const started = Date.now();
        for (let round = 0; round < 4; round++)
          for (const it of subscribers)
            hold((await fixture.createQuiz(server, it)) === 201, 'the API does not serve');
        const each = (Date.now() - started) / (4 * ACCOUNTS);
        await fixture.worker();
        await fixture.settled(subscribers);
        const count = await audit(fixture, subscribers);
        return { ...count, note: `a creation takes ${each.toFixed(0)} ms meanwhile` };
      },
    },
  ],
};
