import { audit } from '../harness/audit';
import type { Suite } from '../harness/case';
import { hold, until } from '../harness/until';

const ACCOUNTS = 5;
/** quiz.created and quiz.published. */
const EVENTS_OF_A_QUIZ = 2;

/** Rows `kill API`, and the worker that is down (guarantees 1 and 7). */
export const api: Suite = {
  queues: 'both',
  cases: [
    {
      broken: 'kill API',
      when: 'after the insert, before the commit',
      async run(stage) {
        const subscribers = await stage.subscribers(ACCOUNTS);
        await stage.worker();
        const victim = await stage.api();
        const gate = await stage.gate({ table: 'outbox_events', on: 'INSERT', at: 'statement' });
        const requests = subscribers.map((it) => stage.createQuiz(victim, it).catch(() => 0));
        await gate.reached(ACCOUNTS);
        await victim.kill();
        await gate.open();
        hold(
          (await Promise.all(requests)).every((status) => status === 0),
          'a request was answered',
        );
        // The second request of an account waits for the end of what the first has left behind.
        const heir = await stage.api();
        for (const it of subscribers)
          hold((await stage.createQuiz(heir, it)) === 201, 'the next API does not serve');
        await stage.settled(subscribers);
        const count = await audit(stage, subscribers);
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
      async run(stage) {
        const it = await stage.subscriber();
        await stage.worker();
        const victim = await stage.api();
        const gate = await stage.gate({ table: 'outbox_events', on: 'INSERT', at: 'commit' });
        const request = stage.createQuiz(victim, it).catch(() => 0);
        await gate.reached();
        victim.freeze();
        await gate.open();
        await until('the commit', async () => {
          const committed = await stage.query(
            `SELECT id FROM outbox_events WHERE account_id = $1`,
            [it.accountId],
          );
          return committed.length === EVENTS_OF_A_QUIZ;
        });
        await victim.kill();
        hold((await request) === 0, 'the request was answered');
        await stage.settled([it]);
        return audit(stage, [it]);
      },
    },
    {
      broken: 'kill API',
      when: 'right after the commit; the client repeats its request with its Idempotency-Key',
      async run(stage) {
        const it = await stage.subscriber();
        await stage.worker();
        const victim = await stage.api();
        const gate = await stage.gate({ table: 'outbox_events', on: 'INSERT', at: 'commit' });
        const request = stage.createQuiz(victim, it, 'once').catch(() => 0);
        await gate.reached();
        victim.freeze();
        await gate.open();
        const made = () =>
          stage.query(`SELECT id FROM quizzes WHERE owner_id = $1`, [it.accountId]);
        await until('the commit', async () => (await made()).length === 1);
        await victim.kill();
        hold((await request) === 0, 'the request was answered');
        const heir = await stage.api();
        for (let round = 0; round < 3; round++)
          hold(
            (await stage.createQuiz(heir, it, 'once')) === 201,
            'the repetition is not answered',
          );
        hold((await made()).length === 1, 'the repetition made another quiz');
        await stage.settled([it]);
        const count = await audit(stage, [it]);
        hold(count.events === EVENTS_OF_A_QUIZ, `${count.events} events of one quiz`);
        return { ...count, note: 'one quiz, answered when it was asked for again' };
      },
    },
    {
      broken: 'worker down',
      when: 'while the API is used',
      async run(stage) {
        const subscribers = await stage.subscribers(ACCOUNTS);
        await (await stage.worker()).kill();
        const server = await stage.api();
        const started = Date.now();
        for (let round = 0; round < 4; round++)
          for (const it of subscribers)
            hold((await stage.createQuiz(server, it)) === 201, 'the API does not serve');
        const each = (Date.now() - started) / (4 * ACCOUNTS);
        await stage.worker();
        await stage.settled(subscribers);
        const count = await audit(stage, subscribers);
        return { ...count, note: `a creation takes ${each.toFixed(0)} ms meanwhile` };
      },
    },
  ],
};
