import { setTimeout as sleep } from 'node:timers/promises';
import { DeliveriesService } from '../../../src/webhooks/deliveries/deliveries.service';
import { audit } from '../harness/audit';
import type { Suite } from '../harness/case';
import { failTogether } from '../harness/fail-together';
import type { Fixture, Subscriber } from '../harness/fixture';
import { accept, keepOpen, refuse } from '../harness/receiver';
import { hold, until } from '../harness/until';

/** Milliseconds: the first retry of a delivery is its latest. */
const FIRST_RETRY = 3_000;

/** How often each delivery is clicked in the moment in which its retry is due. */
const CLICKS = 2;

async function deliveries(fixture: Fixture, it: Subscriber): Promise<{ id: string; next: Date }[]> {
  return fixture.query(
    `SELECT id, next_attempt_at AS next FROM webhook_deliveries WHERE endpoint_id = $1 ORDER BY id`,
    [it.endpointId],
  );
}

/** Clicks, all at once. */
async function click(fixture: Fixture, ids: string[], times: number): Promise<void> {
  const service = fixture.services.get(DeliveriesService);
  const clicks = Array.from({ length: times }, () => ids).flat();
  await Promise.all(clicks.map((id) => service.retry('operator', id)));
}

/** Attempts that were recorded as asked for by hand. */
async function countManual(fixture: Fixture, subscribers: Subscriber[]): Promise<number> {
  const [row] = await fixture.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM webhook_attempts a JOIN webhook_deliveries d ON d.id = a.delivery_id
     WHERE a.kind = 'manual' AND d.endpoint_id = ANY($1)`,
    [subscribers.map((it) => it.endpointId)],
  );
  return row?.count ?? 0;
}

async function onlyDelivery(fixture: Fixture, it: Subscriber): Promise<string> {
  return until('the delivery', async () => (await deliveries(fixture, it))[0]?.id);
}

const pastEveryRetry = () => sleep(FIRST_RETRY * 1.1 + 800);

/** Row `manual retry clicked twice, or while an automatic one is due`. */
export const manual: Suite = {
  queues: 'both',
  atOnce: true,
  settings: { WEBHOOK_RETRY_DELAYS: `${FIRST_RETRY}ms,600ms,1s`, WEBHOOK_TIMEOUT: '5s' },
  prepare: async (fixture) => void (await fixture.worker()),
  cases: [
    {
      broken: 'manual retry',
      when: 'clicked 5 times at once, and 5 times during its POST',
      async run(fixture) {
        const it = await fixture.subscriber();
        fixture.receiver.behave(it.path, refuse(500));
        await fixture.emit(it, 1);
        await fixture.settled([it]);
        hold(fixture.receiver.at(it.path).length === 4, 'it has not failed yet');
        fixture.receiver.behave(it.path, keepOpen);
        const id = await onlyDelivery(fixture, it);
        await click(fixture, [id], 5);
        const [, , , , fifth] = await fixture.receiver.until(it.path, 5);
        await click(fixture, [id], 5);
        await sleep(1_500);
        fixture.receiver.behave(it.path, accept);
        fifth?.answer(204);
        await fixture.settled([it]);
        await pastEveryRetry();
        hold(fixture.receiver.at(it.path).length === 5, 'more than one POST came of it');
        hold(fixture.receiver.mostOpen(it.path) === 1, 'two at a time');
        return {
          ...(await audit(fixture, [it], { manual: true })),
          note: '10 clicks, 1 more attempt',
        };
      },
    },
    {
      broken: 'manual retry',
      when: 'while the automatic attempt is under way',
      async run(fixture) {
        const it = await fixture.subscriber();
        fixture.receiver.behave(it.path, keepOpen);
        await fixture.emit(it, 1);
        const [first] = await fixture.receiver.until(it.path, 1);
        const id = await onlyDelivery(fixture, it);
        await click(fixture, [id], 3);
        await sleep(1_500);
        hold(fixture.receiver.at(it.path).length === 1, 'two at a time');
        first?.answer(204);
        await fixture.settled([it]);
        await pastEveryRetry();
        hold(fixture.receiver.at(it.path).length === 1, 'it was sent again');
        return { ...(await audit(fixture, [it])), note: 'changes nothing' };
      },
    },
    {
      broken: 'manual retry',
      when: 'while the automatic one is pending',
      async run(fixture) {
        const it = await fixture.subscriber();
        await failTogether(fixture, [it], 1);
        const [delivery] = await deliveries(fixture, it);
        hold(delivery, 'there is no delivery');
        await click(fixture, [delivery.id], 2);
        await fixture.settled([it]);
        await pastEveryRetry();
        const came = fixture.receiver.at(it.path);
        hold(came.length === 2, `${came.length} POSTs: the automatic one was not cancelled`);
        hold(came[1]!.at < delivery.next.getTime(), 'it waited for the automatic one');
        const note = 'sent at once, the automatic one cancelled';
        return { ...(await audit(fixture, [it], { manual: true })), note };
      },
    },
    {
      broken: 'manual retry',
      when: 'in the moment in which the automatic one is due',
      async run(fixture) {
        const all = await fixture.subscribers(4);
        await failTogether(fixture, all, 10);
        const due = (await Promise.all(all.map((it) => deliveries(fixture, it)))).flat();
        await Promise.all(
          due.map(async ({ id, next }, number) => {
            // Some before that moment, some in it, some after it.
            await sleep(Math.max(0, next.getTime() - Date.now() + number * 10 - 200));
            await click(fixture, [id], CLICKS);
          }),
        );
        await fixture.settled(all);
        await pastEveryRetry();
        await fixture.settled(all);
        hold((await countManual(fixture, all)) > 0, 'no click has led to an attempt');
        // Clicked after an attempt has succeeded, a delivery is sent once more: it was asked for. The clicks on one
        // delivery wait for a connection each, so the second may come after the POST of the first.
        const came = all.flatMap((it) => fixture.receiver.at(it.path));
        const count = await audit(fixture, all, {
          manual: true,
          duplicates: { atMost: due.length * CLICKS },
          successes: 'any',
        });
        for (const { id } of came) {
          const of = came.filter((arrival) => arrival.id === id);
          hold(of.length <= 2 + CLICKS, `${of.length} POSTs for two attempts and ${CLICKS} clicks`);
          of.forEach((arrival, place) => {
            const before = of[place - 1];
            if (before)
              hold(arrival.at >= (before.answeredAt ?? Infinity), 'two at a time of one delivery');
          });
        }
        const asked = count.duplicates;
        const note = `never two at a time; ${asked} were clicked when already delivered, and so sent once more`;
        return { ...count, note };
      },
    },
  ],
};
