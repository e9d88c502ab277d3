import { audit } from '../harness/audit';
import type { Suite } from '../harness/case';
import { seconds } from '../harness/seconds';
import { until } from '../harness/until';

const EVENTS = 20;

/**
 * Row `kill relay`. The relay marks events and inserts deliveries in one transaction and adds jobs after the commit, so it
 * can die at two points: before the commit, and before the jobs.
 */
export const relay: Suite = {
  queues: 'both',
  cases: [
    {
      broken: 'kill relay',
      when: 'deliveries written, before the commit',
      async run(fixture) {
        const subscribers = await fixture.subscribers(3);
        const victim = await fixture.worker();
        const gate = await fixture.gate({ table: 'outbox_events', on: 'UPDATE', at: 'statement' });
        for (const it of subscribers) await fixture.emit(it, EVENTS);
        await gate.reached();
        await victim.kill();
        await gate.open();
        await fixture.worker();
        await fixture.settled(subscribers);
        return audit(fixture, subscribers);
      },
    },
    {
      broken: 'kill relay',
      when: 'deliveries committed, before their jobs are added',
      async run(fixture) {
        const subscribers = await fixture.subscribers(3);
        const victim = await fixture.worker();
        const gate = await fixture.gate({ table: 'outbox_events', on: 'UPDATE', at: 'commit' });
        for (const it of subscribers) await fixture.emit(it, EVENTS);
        await gate.reached();
        victim.freeze();
        await gate.open();
        await until('the commit', async () => (await fixture.inState(subscribers[0]!, 'made')) > 0);
        await victim.kill();
        const killed = Date.now();
        await fixture.worker();
        await fixture.settled(subscribers, 60_000);
        const count = await audit(fixture, subscribers);
        return { ...count, note: `all delivered ${seconds(killed)} after the kill` };
      },
    },
  ],
};
