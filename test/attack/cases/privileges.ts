import { setTimeout as sleep } from 'node:timers/promises';
import { AccountAdministrationService } from '../../../src/access/administration/account-administration.service';
import { CACHE_TTL_MS } from '../../../src/access/api-keys/api-key-cache';
import { ApiKeysService } from '../../../src/access/api-keys/api-keys.service';
import { OPERATOR } from '../../../src/access/audit/actor';
import { EndpointsService } from '../../../src/webhooks/endpoints/endpoints.service';
import type { Subscriber } from '../../faults/harness/fixture';
import { hold } from '../../faults/harness/until';
import { type AttackTarget, inWords } from '../harness/attack-target';
import { Attacker, type Statuses } from '../harness/attacker';
import type { AttackCase, Subject } from '../harness/case';

/** What an account loses while its requests are sent and deliveries to it are under way. */
const withdrawn = (
  name: string,
  withdraw: (target: AttackTarget, account: Subscriber) => Promise<unknown>,
  then: { status?: string; hears: boolean },
): AttackCase => ({
  name,
  async run(target) {
    const { fixture, api } = target;
    const services = fixture.services;
    const account = await fixture.subscriber({ events: ['quiz.created'] });
    const other = await fixture.subscriber({ events: ['quiz.published'] });
    const endpoints = services.get(EndpointsService);
    await services
      .get(AccountAdministrationService)
      .setAdministrator(OPERATOR, account.accountId, true);
    const url = fixture.receiver.origin + account.path;
    const all = { url, events: ['quiz.created' as const], allAccounts: true };
    const { endpoint } = await endpoints.add(account.accountId, all);
    const headers = { Authorization: `Bearer ${account.key}` };
    const requests = [{ path: '/api/v1/quizzes?limit=1', headers }];
    // However fast the machine, at most 400 a second for some ten seconds: 16 from each address, whose limit is 60 a minute.
    const clients = { connections: 2, pause: 5, addresses: 250 };
    const flood = { kind: 'flood' as const, ...clients, requests };
    let after: Statuses = {};
    let late = 0;
    const attack = async () => {
      const attacker = await Attacker.start(api.port, flood);
      await fixture.emit(other, 50);
      await sleep(300);
      await withdraw(target, account);
      // Deliveries that were being sent at that moment arrive.
      await sleep(500);
      const heard = fixture.receiver.at(account.path).length;
      await fixture.emit(other, 50);
      // This process withdrew it: the API, another process, learns of it by then.
      await sleep(CACHE_TTL_MS);
      await attacker.look();
      await sleep(1_000);
      after = await attacker.look();
      attacker.end();
      late = fixture.receiver.at(account.path).length - heard;
    };
    const figures = await target
      .beside(attack)
      .finally(() => endpoints.remove('operator', endpoint.id));
    const { status = '200', hears } = then;
    hold(Object.keys(after).join() === status, `requests afterwards: ${inWords(after)}`);
    if (hears) hold(late > 0, 'its webhooks ended with its key');
    else hold(late === 0, `${late} events of another account came after that`);
    return `afterwards ${inWords(after)}, ${late} events of others; ${figures}`;
  },
});

/** Rights that end while they are used. */
export const PRIVILEGES: Subject = {
  name: 'privileges',
  cases: [
    withdrawn(
      'the key of a client that goes on is revoked',
      async ({ fixture }, { accountId }) => {
        const [row] = await fixture.query<{ id: string }>(
          `SELECT id FROM api_keys WHERE account_id = $1`,
          [accountId],
        );
        await fixture.services.get(ApiKeysService).revoke(row?.id ?? '');
      },
      { status: '401', hears: true },
    ),
    withdrawn(
      'an administrator with an endpoint for all accounts is demoted',
      ({ fixture }, { accountId }) =>
        fixture.services
          .get(AccountAdministrationService)
          .setAdministrator(OPERATOR, accountId, false),
      { hears: false },
    ),
    withdrawn(
      'an account is disabled during its requests and deliveries',
      ({ fixture }, { accountId }) =>
        fixture.services.get(AccountAdministrationService).setDisabled(OPERATOR, accountId, true),
      { status: '401', hears: false },
    ),
  ],
};
