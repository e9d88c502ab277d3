import { setTimeout as sleep } from 'node:timers/promises';
import { audit } from '../harness/audit';
import type { Suite } from '../harness/case';
import { accept, keepOpen } from '../harness/receiver';
import type { ServiceProcess } from '../harness/service-process';
import type { Stage, Subscriber } from '../harness/stage';
import { hold, until } from '../harness/until';
import { seconds } from './relay';

/** As many as an endpoint has slots: all are under way at once. */
const EVENTS = 16;

const LEASE = {
  table: 'webhook_deliveries',
  on: 'UPDATE',
  when: `NEW.state = 'leased' AND OLD.state <> 'leased'`,
  at: 'statement',
} as const;
/** An outcome, not the note of a sweep that an attempt was interrupted. */
const WRITE = {
  table: 'webhook_attempts',
  on: 'INSERT',
  when: `NEW.kind <> 'interrupted'`,
  at: 'statement',
} as const;

/** Starts another worker, and says how long it took until all was delivered. A busy machine starts one slowly. */
async function recover(stage: Stage, subscribers: Subscriber[]): Promise<string> {
  const killed = Date.now();
  await stage.worker();
  const started = Date.now();
  await stage.settled(subscribers, 10_000);
  return `all delivered ${seconds(killed)} after the kill, ${seconds(started)} after the start of the next worker`;
}

/** Another worker that runs, and has for long enough to judge others. */
async function steadyWorker(stage: Stage): Promise<ServiceProcess> {
  const other = await stage.start('worker.js');
  const steady = `SELECT FROM webhook_workers WHERE steady_since < now() - interval '3 seconds'`;
  await until('two steady workers', async () => (await stage.query(steady)).length > 1, 30_000);
  return other;
}

/** The other worker delivers what the killed one had. */
async function takenOver(stage: Stage, subscribers: Subscriber[]): Promise<string> {
  const killed = Date.now();
  await stage.settled(subscribers, 10_000);
  return `all delivered ${seconds(killed)} after the kill`;
}

/** Rows `kill worker` and `SIGTERM worker`. */
export const worker: Suite = {
  queues: 'both',
  settings: { WEBHOOK_TIMEOUT: '30s' },
  cases: [
    {
      broken: 'kill worker',
      when: 'job taken, before the lease',
      async run(stage) {
        const it = await stage.subscriber();
        const victim = await stage.worker();
        const gate = await stage.gate(LEASE);
        await stage.emit(it, EVENTS);
        await gate.reached();
        await victim.kill();
        await gate.turnAway();
        const note = await recover(stage, [it]);
        return { ...(await audit(stage, [it])), note };
      },
    },
    {
      broken: 'kill worker',
      when: 'leased, before the POST',
      async run(stage) {
        const it = await stage.subscriber();
        const victim = await stage.worker();
        const gate = await stage.gate(LEASE);
        await stage.emit(it, EVENTS);
        await gate.reached();
        victim.freeze();
        await gate.open();
        await until('the lease', async () => (await stage.inState(it, 'leased')) > 0);
        await victim.kill();
        hold(stage.receiver.at(it.path).length === 0, 'a POST was sent');
        const note = await recover(stage, [it]);
        return { ...(await audit(stage, [it])), note };
      },
    },
    {
      broken: 'kill worker',
      when: 'POST sent, not answered',
      async run(stage) {
        const it = await stage.subscriber();
        stage.receiver.behave(it.path, keepOpen);
        const victim = await stage.worker();
        await stage.emit(it, EVENTS);
        await stage.receiver.until(it.path, EVENTS);
        await victim.kill();
        stage.receiver.behave(it.path, accept);
        const note = await recover(stage, [it]);
        return { ...(await audit(stage, [it], { duplicates: EVENTS })), note };
      },
    },
    {
      broken: 'kill worker',
      when: '200 read, before the write',
      async run(stage) {
        const it = await stage.subscriber();
        const victim = await stage.worker();
        const gate = await stage.gate(WRITE);
        await stage.emit(it, EVENTS);
        await stage.receiver.until(it.path, EVENTS);
        await gate.reached();
        await victim.kill();
        await gate.open();
        const note = await recover(stage, [it]);
        return { ...(await audit(stage, [it], { duplicates: EVENTS })), note };
      },
    },
    {
      broken: 'kill worker',
      when: 'another is alive; job taken, before the lease',
      async run(stage) {
        const it = await stage.subscriber();
        const victim = await stage.worker();
        const other = await steadyWorker(stage);
        const gate = await stage.gate(LEASE);
        other.freeze();
        await stage.emit(it, EVENTS);
        await gate.reached();
        other.thaw();
        await victim.kill();
        await gate.turnAway();
        const note = await takenOver(stage, [it]);
        return { ...(await audit(stage, [it])), note };
      },
    },
    {
      broken: 'kill worker',
      when: 'another is alive; POST sent, not answered',
      async run(stage) {
        const it = await stage.subscriber();
        stage.receiver.behave(it.path, keepOpen);
        const victim = await stage.worker();
        await stage.emit(it, EVENTS);
        await stage.receiver.until(it.path, EVENTS);
        await steadyWorker(stage);
        await victim.kill();
        stage.receiver.behave(it.path, accept);
        const note = await takenOver(stage, [it]);
        return { ...(await audit(stage, [it], { duplicates: EVENTS })), note };
      },
    },
    {
      broken: 'freeze worker',
      when: 'POST sent; thawed when its lease is another’s',
      async run(stage) {
        const it = await stage.subscriber();
        stage.receiver.behave(it.path, keepOpen);
        const sleeper = await stage.worker();
        await stage.emit(it, EVENTS);
        const held = [...(await stage.receiver.until(it.path, EVENTS))];
        sleeper.freeze();
        stage.receiver.behave(it.path, accept);
        const other = await stage.start('worker.js');
        await stage.settled([it]);
        // Its receivers have answered it meanwhile: it believes that it has delivered.
        for (const arrival of held) arrival.answer(204);
        await other.kill();
        sleeper.thaw();
        // It works on, and has written or dropped what it had by the time it has delivered more.
        await stage.emit(it, EVENTS);
        await stage.settled([it]);
        return audit(stage, [it], { duplicates: EVENTS });
      },
    },
    {
      broken: 'SIGTERM worker',
      when: 'mid-POST',
      async run(stage) {
        const it = await stage.subscriber();
        stage.receiver.behave(it.path, keepOpen);
        const leaver = await stage.worker();
        await stage.emit(it, EVENTS);
        const held = await stage.receiver.until(it.path, EVENTS);
        const stopped = leaver.stop();
        await sleep(300);
        hold(leaver.runs, 'it did not wait for the requests under way');
        for (const arrival of held) arrival.answer(204);
        const code = await stopped;
        hold(code === 0, `it exited ${code}`);
        await stage.settled([it], 0);
        return { ...(await audit(stage, [it])), note: 'waits for them, exits 0' };
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
      async run(stage) {
        const it = await stage.subscriber();
        await stage.emit(it, 1);
        for (let kill = 1; kill <= 6; kill++) {
          const answered = kill % 2 === 0;
          stage.receiver.behave(it.path, answered ? accept : keepOpen);
          const gate = answered ? await stage.gate(WRITE) : null;
          const victim = await stage.worker();
          await stage.receiver.until(it.path, kill);
          await gate?.reached();
          await victim.kill();
          await gate?.open();
        }
        stage.receiver.behave(it.path, accept);
        await stage.worker();
        await stage.settled([it]);
        const count = await audit(stage, [it], { duplicates: 6 });
        hold(count.interrupted === 6, `${count.interrupted} interrupted attempts`);
        return { ...count, note: '6 interrupted attempts, 1 of 4 spent' };
      },
    },
  ],
};
