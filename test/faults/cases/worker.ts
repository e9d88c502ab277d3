import { setTimeout as sleep } from 'node:timers/promises';
import { audit } from '../harness/audit';
import type { Suite } from '../harness/case';
import type { Fixture, Subscriber } from '../harness/fixture';
import { accept, keepOpen } from '../harness/receiver';
import { seconds } from '../harness/seconds';
import { hold, until } from '../harness/until';

/** The share of an endpoint: all are under way at once. */
const EVENTS = 16;

/** Milliseconds: the jobs of a killed worker are another's after the next check for stalled jobs. */
const RECOVERS_WITHIN = 20_000;

const BEGIN = {
  table: 'webhook_deliveries',
  on: 'UPDATE',
  when: `NEW.attempt_job IS NOT NULL AND OLD.attempt_job IS NULL`,
  at: 'statement',
} as const;
/** An outcome, not the note that an attempt was interrupted. */
const WRITE = {
  table: 'webhook_attempts',
  on: 'INSERT',
  when: `NEW.kind <> 'interrupted'`,
  at: 'statement',
} as const;

/** Starts another worker, and says how long it took until all was delivered. A busy machine starts one slowly. */
async function recover(fixture: Fixture, subscribers: Subscriber[]): Promise<string> {
  const killed = Date.now();
  await fixture.worker();
  const started = Date.now();
  await fixture.settled(subscribers, RECOVERS_WITHIN);
  return `all delivered ${seconds(killed)} after the kill, ${seconds(started)} after the start of the next worker`;
}

/** The other worker delivers what the killed one had. */
async function takenOver(fixture: Fixture, subscribers: Subscriber[]): Promise<string> {
  const killed = Date.now();
  await fixture.settled(subscribers, RECOVERS_WITHIN);
  return `all delivered ${seconds(killed)} after the kill`;
}

const SETTINGS = { WEBHOOK_TIMEOUT: '30s' };

/** Rows `kill worker` of the only worker. */
export const onlyWorker: Suite = {
  queues: 'both',
  settings: SETTINGS,
  cases: [
    {
      broken: 'kill worker',
      when: 'job taken, before its attempt begins',
      async run(fixture) {
        const it = await fixture.subscriber();
        const victim = await fixture.worker();
        const gate = await fixture.gate(BEGIN);
        await fixture.emit(it, EVENTS);
        await gate.reached();
        await victim.kill();
        await gate.turnAway();
        const note = await recover(fixture, [it]);
        return { ...(await audit(fixture, [it])), note };
      },
    },
    {
      broken: 'kill worker',
      when: 'attempt begun, before the POST',
      async run(fixture) {
        const it = await fixture.subscriber();
        const victim = await fixture.worker();
        const gate = await fixture.gate({ ...BEGIN, at: 'commit' });
        await fixture.emit(it, EVENTS);
        await gate.reached();
        victim.freeze();
        await gate.open();
        await until('the attempt', async () => (await fixture.inState(it, 'in progress')) > 0);
        await victim.kill();
        hold(fixture.receiver.at(it.path).length === 0, 'a POST was sent');
        const note = await recover(fixture, [it]);
        return { ...(await audit(fixture, [it])), note };
      },
    },
    {
      broken: 'kill worker',
      when: 'POST sent, no response yet',
      async run(fixture) {
        const it = await fixture.subscriber();
        fixture.receiver.behave(it.path, keepOpen);
        const victim = await fixture.worker();
        await fixture.emit(it, EVENTS);
        await fixture.receiver.until(it.path, EVENTS);
        await victim.kill();
        fixture.receiver.behave(it.path, accept);
        const note = await recover(fixture, [it]);
        return { ...(await audit(fixture, [it], { duplicates: EVENTS })), note };
      },
    },
    {
      broken: 'kill worker',
      when: '200 read, before the write',
      async run(fixture) {
        const it = await fixture.subscriber();
        const victim = await fixture.worker();
        const gate = await fixture.gate(WRITE);
        await fixture.emit(it, EVENTS);
        await fixture.receiver.until(it.path, EVENTS);
        await gate.reached();
        await victim.kill();
        await gate.turnAway();
        const note = await recover(fixture, [it]);
        return { ...(await audit(fixture, [it], { duplicates: EVENTS })), note };
      },
    },
  ],
};

/** Rows `kill worker` beside another, `freeze worker` and `SIGTERM worker`. */
export const severalWorkers: Suite = {
  queues: 'both',
  settings: SETTINGS,
  cases: [
    {
      broken: 'kill worker',
      when: 'another is alive; job taken, before its attempt begins',
      async run(fixture) {
        const it = await fixture.subscriber();
        const victim = await fixture.worker();
        const other = await fixture.start('worker.js');
        const gate = await fixture.gate(BEGIN);
        other.freeze();
        await fixture.emit(it, EVENTS);
        await gate.reached();
        other.thaw();
        await victim.kill();
        await gate.turnAway();
        const note = await takenOver(fixture, [it]);
        return { ...(await audit(fixture, [it])), note };
      },
    },
    {
      broken: 'kill worker',
      when: 'another is alive; POST sent, no response yet',
      async run(fixture) {
        const it = await fixture.subscriber();
        fixture.receiver.behave(it.path, keepOpen);
        const victim = await fixture.worker();
        await fixture.emit(it, EVENTS);
        await fixture.receiver.until(it.path, EVENTS);
        await fixture.start('worker.js');
        await victim.kill();
        fixture.receiver.behave(it.path, accept);
        const note = await takenOver(fixture, [it]);
        return { ...(await audit(fixture, [it], { duplicates: EVENTS })), note };
      },
    },
    {
      broken: 'freeze worker',
      when: 'POST sent; thawed when its jobs are another’s',
      async run(fixture) {
        const it = await fixture.subscriber();
        fixture.receiver.behave(it.path, keepOpen);
        const sleeper = await fixture.worker();
        await fixture.emit(it, EVENTS);
        const held = [...(await fixture.receiver.until(it.path, EVENTS))];
        sleeper.freeze();
        fixture.receiver.behave(it.path, accept);
        const other = await fixture.start('worker.js');
        await fixture.settled([it]);
        // Its receivers have answered it meanwhile: it believes that it has delivered.
        for (const arrival of held) arrival.answer(204);
        await other.kill();
        sleeper.thaw();
        // It works on, and has written or dropped what it had by the time it has delivered more.
        await fixture.emit(it, EVENTS);
        await fixture.settled([it]);
        return audit(fixture, [it], { duplicates: EVENTS });
      },
    },
    {
      broken: 'SIGTERM worker',
      when: 'mid-POST',
      async run(fixture) {
        const it = await fixture.subscriber();
        fixture.receiver.behave(it.path, keepOpen);
        const leaver = await fixture.worker();
        await fixture.emit(it, EVENTS);
        const held = await fixture.receiver.until(it.path, EVENTS);
        const stopped = leaver.stop();
        await sleep(300);
        hold(leaver.runs, 'it did not wait for the requests under way');
        for (const arrival of held) arrival.answer(204);
        const code = await stopped;
        hold(code === 0, `it exited ${code}`);
        await fixture.settled([it], 0);
        return { ...(await audit(fixture, [it])), note: 'waits for them, exits 0' };
      },
    },
  ],
};

/** By turns while its POST is open and when it has read the answer. */
export const sixKills: Suite = {
  queues: 'both',
  settings: { WEBHOOK_TIMEOUT: '1s' },
  cases: [
    {
      broken: 'kill worker',
      when: 'six times in a row on one job',
      async run(fixture) {
        const it = await fixture.subscriber();
        await fixture.emit(it, 1);
        for (let kill = 1; kill <= 6; kill++) {
          const answered = kill % 2 === 0;
          fixture.receiver.behave(it.path, answered ? accept : keepOpen);
          const gate = answered ? await fixture.gate(WRITE) : null;
          const victim = await fixture.worker();
          await fixture.receiver.until(it.path, kill);
          await gate?.reached();
          await victim.kill();
          await gate?.turnAway();
        }
        fixture.receiver.behave(it.path, accept);
        await fixture.worker();
        await fixture.settled([it]);
        const count = await audit(fixture, [it], { duplicates: 6 });
        hold(count.interrupted === 6, `${count.interrupted} interrupted attempts`);
        return { ...count, note: '6 interrupted attempts, 1 of 4 spent' };
      },
    },
  ],
};
