import { quizctl } from '../platform/config/command-line';
import { eventsNamed } from '../webhooks/endpoints/endpoint.rules';
import type { EndpointView } from '../webhooks/endpoints/endpoints.dto';
import type { EndpointsService } from '../webhooks/endpoints/endpoints.service';
import { accountIdOf, argument, command, group, option, ownerOf, required } from './command';
import { attemptLine } from './deliveries.command';
import { at, type Row } from './output';
import { listenCommand } from './webhooks-listen.command';

const ID = argument('<id>', 'id of the endpoint');
/** Milliseconds until a worker begins to send, and until the end of the attempt is stored. */
const FOR_THE_WORKER = 10_000;
const STEPS = ['stage', 'promote', 'retire'] as const;

/** The endpoints that receive accounts' events. */
export const webhooksCommand = group(
  'webhooks',
  'webhook endpoints, and a receiver to try them with',
  [
    command<{ account: string; url: string; events: string; allAccounts?: true }>({
      name: 'add',
      description: 'add an endpoint; its signing secret is shown only once',
      parameters: [
        required('--account <account>', 'owner: e-mail address or id'),
        required('--url <url>', 'where to POST the events'),
        required('--events <events>', 'event types, separated by commas, or all'),
        option('--all-accounts', 'receive the events of every account (administrators only)'),
      ],
      async run(services, { account, url, events, allAccounts }, output) {
        const accountId = await accountIdOf(services, account);
        const settings = { url, events: eventsNamed(events.split(',')), allAccounts };
        const { endpoint, secret } = await services.endpoints.add(accountId, settings, 'operator');
        output.result(
          { ...endpoint, secret },
          `Endpoint ${endpoint.id} receives ${endpoint.events.join(', ')} at ${endpoint.url}\n\n` +
            `Signing secret, shown only once:\n${secret}\n\n` +
            `Try it: ${quizctl(`webhooks test ${endpoint.id}`)}`,
        );
      },
    }),

    command<{ account?: string }>({
      name: 'list',
      description: 'list endpoints',
      parameters: [option('--account <account>', 'only those of this account')],
      async run(services, { account }, output) {
        const all = await services.endpoints.list(await ownerOf(services, account));
        output.list(all, all.map(toRow), 'There are no endpoints yet.');
      },
    }),

    command<{ id: string }>({
      name: 'test',
      description: 'send a test event, and show what came of it',
      parameters: [ID],
      async run(services, { id }, output) {
        const deliveries = services.deliveries;
        const deliveryId = await deliveries.sendTest('operator', id);
        output.note('Waiting for a worker to send it …');
        const patience = services.config.webhooks.timeout + FOR_THE_WORKER;
        const delivery = await deliveries.afterNextAttempt('operator', deliveryId, 0, patience);
        const [attempt] = delivery.attemptLog;
        output.result(
          delivery,
          attempt
            ? attemptLine(attempt)
            : delivery.underWay
              ? `It is being sent, and the receiver has not responded yet. Check the result with: ${quizctl(`deliveries show ${deliveryId}`)}`
              : 'No worker has sent it yet: is one running? It is sent as soon as one is.',
        );
        if (delivery.status !== 'delivered') output.exitCode = 1;
      },
    }),

    change(
      'disable',
      'stop sending; events are kept',
      (endpoints, id) => endpoints.disable('operator', id),
      'is disabled. Its events are kept until it is enabled.',
    ),
    change(
      'enable',
      'send events again, including those kept meanwhile',
      (endpoints, id) => endpoints.enable('operator', id),
      'is enabled. Events that were kept are sent now.',
    ),
    change(
      'remove',
      'delete an endpoint; pending deliveries are cancelled',
      async (endpoints, id) => {
        const endpoint = await endpoints.get('operator', id);
        await endpoints.remove('operator', id);
        return endpoint;
      },
      'is deleted. Its pending deliveries are cancelled.',
    ),

    command<{ id: string; step: (typeof STEPS)[number] }>({
      name: 'rotate',
      description: 'change the signing secret in three steps: stage, promote, retire',
      parameters: [
        ID,
        option(
          '--step <step>',
          'stage shows the next secret; promote signs with it; retire drops the old',
          STEPS,
        ).default('stage'),
      ],
      async run(services, { id, step }, output) {
        const secrets = services.secrets;
        if (step === 'stage') {
          const { endpoint, secret } = await secrets.stage('operator', id);
          output.result(
            { ...endpoint, secret },
            `The next secret, shown only once:\n${secret}\n\n` +
              `Let the receiver accept both secrets, then: ${quizctl(`webhooks rotate ${id} --step promote`)}`,
          );
          return;
        }
        output.result(
          await secrets[step]('operator', id),
          step === 'promote'
            ? `The next secret signs from now on. When the old one is no longer used anywhere: ${quizctl(`webhooks rotate ${id} --step retire`)}`
            : 'The old secret is gone. The rotation is complete.',
        );
      },
    }),

    command({
      name: 'reseal',
      description:
        'encrypt all secrets with the first of two ENCRYPTION_KEYs; then remove the second',
      async run(services, _given, output) {
        const count = await services.sealedSecrets.reseal();
        output.result(
          count,
          `${count.resealed} webhook ${count.resealed === 1 ? 'secret is' : 'secrets are'} now encrypted with the first ENCRYPTION_KEY` +
            (count.unreadable > 0
              ? `. ${count.unreadable} cannot be decrypted with either key: give these endpoints new secrets.`
              : '. A second key is no longer needed.'),
        );
      },
    }),

    listenCommand,
  ],
);

function change(
  name: string,
  description: string,
  act: (endpoints: EndpointsService, id: string) => Promise<EndpointView>,
  said: string,
) {
  return command<{ id: string }>({
    name,
    description,
    parameters: [ID],
    async run(services, { id }, output) {
      const endpoint = await act(services.endpoints, id);
      output.result(endpoint, `${endpoint.url} ${said}`);
    },
  });
}

const toRow = (endpoint: EndpointView): Row => ({
  id: endpoint.id,
  account: endpoint.accountId,
  url: endpoint.url,
  events: endpoint.events.join(','),
  state: endpoint.disabledAt
    ? `disabled: ${endpoint.disabledReason ?? ''}`
    : endpoint.failingSince
      ? `failing since ${at(endpoint.failingSince)}`
      : 'enabled',
});
