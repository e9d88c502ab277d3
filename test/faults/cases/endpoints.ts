import { setTimeout as sleep } from 'node:timers/promises';
import { verifySignature } from '../../../src/webhooks/deliveries/signature';
import { EndpointSecretsService } from '../../../src/webhooks/endpoints/endpoint-secrets.service';
import { EndpointsService } from '../../../src/webhooks/endpoints/endpoints.service';
import { audit } from '../harness/audit';
import type { Suite } from '../harness/case';
import { failTogether } from '../harness/fail-together';
import type { Fixture, Subscriber } from '../harness/fixture';
import { keepOpen, refuse } from '../harness/receiver';
import { hold } from '../harness/until';

const EVENTS = 5;
const RETRY_AFTER = 3_000;

async function pending(fixture: Fixture): Promise<Subscriber> {
  const it = await fixture.subscriber();
  await failTogether(fixture, [it], EVENTS);
  return it;
}

const pastTheRetry = () => sleep(RETRY_AFTER * 1.1 + 1_000);

/** Row `endpoint deleted, disabled, URL or secret changed`, as their owner does it on the account page. */
export const endpoints: Suite = {
  queues: 'once',
  atOnce: true,
  settings: { WEBHOOK_RETRY_DELAYS: '3s,600ms,1s', WEBHOOK_TIMEOUT: '5s' },
  prepare: async (fixture) => void (await fixture.worker()),
  cases: [
    {
      broken: 'endpoint deleted',
      when: 'retries pending',
      async run(fixture) {
        const it = await pending(fixture);
        await fixture.services.get(EndpointsService).remove('operator', it.endpointId);
        await fixture.settled([it], 0);
        await pastTheRetry();
        hold(fixture.receiver.at(it.path).length === EVENTS, 'POSTs went on');
        return { ...(await audit(fixture, [it], { status: 'cancelled' })), note: 'cancelled' };
      },
    },
    {
      broken: 'endpoint deleted',
      when: 'mid-POST, then responds 500',
      async run(fixture) {
        const it = await fixture.subscriber();
        const neighbour = await fixture.subscriber();
        fixture.receiver.behave(it.path, keepOpen);
        await fixture.emit(it, EVENTS);
        const held = await fixture.receiver.until(it.path, EVENTS);
        await fixture.services.get(EndpointsService).remove('operator', it.endpointId);
        for (const arrival of held) refuse(500)(arrival);
        await fixture.settled([it]);
        await fixture.emit(neighbour, EVENTS);
        await fixture.settled([neighbour]);
        await pastTheRetry();
        hold(fixture.receiver.at(it.path).length === EVENTS, 'POSTs went on');
        await audit(fixture, [neighbour]);
        const note = 'cancelled; the worker serves the others';
        return { ...(await audit(fixture, [it], { status: 'cancelled' })), note };
      },
    },
    {
      broken: 'endpoint disabled',
      when: 'retries pending, more events meanwhile, enabled again',
      async run(fixture) {
        const it = await pending(fixture);
        const service = fixture.services.get(EndpointsService);
        await service.disable('operator', it.endpointId);
        await fixture.emit(it, EVENTS);
        await pastTheRetry();
        hold(fixture.receiver.at(it.path).length === EVENTS, 'POSTs went on');
        hold((await fixture.inState(it, 'paused')) === 2 * EVENTS, 'not everything is paused');
        await service.enable('operator', it.endpointId);
        await fixture.settled([it]);
        return { ...(await audit(fixture, [it])), note: 'paused meanwhile, then delivered' };
      },
    },
    {
      broken: 'endpoint’s URL changed',
      when: 'retries pending',
      async run(fixture) {
        const it = await pending(fixture);
        it.newPath = `${it.path}-moved`;
        const url = fixture.receiver.origin + it.newPath;
        await fixture.services.get(EndpointsService).update('operator', it.endpointId, { url });
        await fixture.settled([it]);
        hold(fixture.receiver.at(it.path).length === EVENTS, 'POSTs to the old URL went on');
        hold(fixture.receiver.at(it.newPath).length === EVENTS, 'the new URL did not get them');
        return { ...(await audit(fixture, [it])), note: 'retries go to the new URL, same bytes' };
      },
    },
    {
      broken: 'endpoint’s secret changed',
      when: 'retries pending',
      async run(fixture) {
        const it = await pending(fixture);
        const service = fixture.services.get(EndpointSecretsService);
        const { secret } = await service.stage('operator', it.endpointId);
        await service.promote('operator', it.endpointId);
        await service.retire('operator', it.endpointId);
        it.secrets.push(secret);
        await fixture.settled([it]);
        for (const { refused, body, headers } of fixture.receiver.at(it.path)) {
          const signature = String(headers['x-service-signature']);
          const expected = refused ? it.secrets[0] : secret;
          hold(verifySignature(body, signature, expected ?? ''), 'signed with the wrong secret');
        }
        return {
          ...(await audit(fixture, [it])),
          note: 'retries are signed with the new one, same bytes',
        };
      },
    },
  ],
};
