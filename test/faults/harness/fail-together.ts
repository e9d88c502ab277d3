import type { Fixture, Subscriber } from './fixture';
import { accept, keepOpen, refuse } from './receiver';
import { until } from './until';

/**
 * Makes deliveries whose first attempt has failed and whose retry is pending, all since the same moment, however
 * slow the machine: their POSTs are kept open until all have arrived, then answered 500. The receiver accepts the
 * retries.
 * @param each events of each subscriber, at most the 16 that an endpoint has a share of
 */
export async function failTogether(
  fixture: Fixture,
  subscribers: readonly Subscriber[],
  each: number,
): Promise<void> {
  for (const { path } of subscribers) fixture.receiver.behave(path, keepOpen);
  for (const it of subscribers) await fixture.emit(it, each);
  for (const { path } of subscribers) await fixture.receiver.until(path, each);
  for (const { path } of subscribers) {
    fixture.receiver.behave(path, accept);
    for (const arrival of fixture.receiver.at(path)) refuse(500)(arrival);
  }
  for (const it of subscribers)
    await until(
      'the failures',
      async () => (await fixture.inState(it, 'waiting for a retry')) === each,
    );
}
