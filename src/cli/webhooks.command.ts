import { Command, Option } from 'commander';
import { AccountsService } from '../access/accounts/accounts.service';
import { EndpointSecretsService } from '../webhooks/endpoints/endpoint-secrets.service';
import type { EndpointView } from '../webhooks/endpoints/endpoint.entity';
import { EndpointsService } from '../webhooks/endpoints/endpoints.service';
import { DeliveriesService } from '../webhooks/deliveries/deliveries.service';
import { SealedSecretsService } from '../webhooks/endpoints/endpoint-secrets.service';
import { attemptLine } from './deliveries.command';
import { at, type Output, type Row } from './output';
import { withServices } from './services';
import { listenCommand } from './webhooks-listen.command';

const ID = ['<id>', 'id of the endpoint'] as const;

/** Where accounts receive their events. */
export function webhooksCommand(output: Output): Command {
  const webhooks = new Command('webhooks').description(
    'webhook endpoints, and a receiver to try them with',
  );

  webhooks
    .command('add')
    .description('add an endpoint; its signing secret is shown this once')
    .requiredOption('--account <account>', 'owner: e-mail address or id')
    .requiredOption('--url <url>', 'where to POST the events')
    .requiredOption('--events <events>', 'event types, separated by commas')
    .option('--all-accounts', 'receive the events of every account (administrators only)')
    .action((options: { account: string; url: string; events: string; allAccounts?: true }) =>
      withServices(output, async (services) => {
        const { id } = await services.get(AccountsService).get(options.account);
        const settings = {
          url: options.url,
          events: options.events.split(','),
          allAccounts: options.allAccounts,
        };
        const { endpoint, secret } = await services
          .get(EndpointsService)
          .add(id, settings, 'operator');
        output.result(
          { ...endpoint, secret },
          `Endpoint ${endpoint.id} receives ${endpoint.events.join(', ')} at ${endpoint.url}\n\n` +
            `Signing secret, shown this once:\n${secret}\n\n` +
            `Try it: npm run -s quizctl -- webhooks test ${endpoint.id}`,
        );
      }),
    );

  webhooks
    .command('list')
    .description('list endpoints')
    .option('--account <account>', 'only those of this account')
    .action(({ account }: { account?: string }) =>
      withServices(output, async (services) => {
        const owner =
          account === undefined
            ? ('operator' as const)
            : { accountId: (await services.get(AccountsService).get(account)).id };
        const all = await services.get(EndpointsService).list(owner);
        output.list(all, all.map(toRow), 'There are no endpoints yet.');
      }),
    );

  webhooks
    .command('test')
    .description('send a test event, and show what came of it')
    .argument(...ID)
    .action((id: string) =>
      withServices(output, async (services) => {
        const deliveries = services.get(DeliveriesService);
        const deliveryId = await deliveries.sendTest('operator', id);
        output.note('Waiting for a worker to send it …');
        const delivery = await deliveries.afterNextAttempt('operator', deliveryId, 0, 40_000);
        const [attempt] = delivery.attemptLog;
        output.result(
          delivery,
          attempt
            ? attemptLine(attempt)
            : 'No worker has sent it yet: is one running? It is sent as soon as one is.',
        );
        if (delivery.status !== 'delivered') process.exitCode = 1;
      }),
    );

  const change = (
    name: string,
    description: string,
    act: (endpoints: EndpointsService, id: string) => Promise<EndpointView>,
    said: (endpoint: EndpointView) => string,
  ) =>
    webhooks
      .command(name)
      .description(description)
      .argument(...ID)
      .action((id: string) =>
        withServices(output, async (services) => {
          const endpoint = await act(services.get(EndpointsService), id);
          output.result(endpoint, said(endpoint));
        }),
      );

  change(
    'disable',
    'stop sending; events are kept',
    (endpoints, id) => endpoints.disable('operator', id),
    ({ url }) => `${url} is disabled. Its events are kept until it is enabled.`,
  );
  change(
    'enable',
    'send again, what was kept included',
    (endpoints, id) => endpoints.enable('operator', id),
    ({ url }) => `${url} is enabled. What was kept is sent now.`,
  );
  change(
    'remove',
    'delete an endpoint; what waits for it is cancelled',
    async (endpoints, id) => {
      const endpoint = await endpoints.get('operator', id);
      await endpoints.remove('operator', id);
      return endpoint;
    },
    ({ url }) => `${url} is deleted. What waited for it is cancelled.`,
  );

  webhooks
    .command('rotate')
    .description('change the signing secret in three steps: stage, promote, retire')
    .argument(...ID)
    .addOption(
      new Option(
        '--step <step>',
        'stage shows the next secret; promote signs with it; retire drops the old',
      )
        .choices(['stage', 'promote', 'retire'])
        .default('stage'),
    )
    .action((id: string, { step }: { step: 'stage' | 'promote' | 'retire' }) =>
      withServices(output, async (services) => {
        const secrets = services.get(EndpointSecretsService);
        if (step === 'stage') {
          const { endpoint, secret } = await secrets.stage('operator', id);
          output.result(
            { ...endpoint, secret },
            `The next secret, shown this once:\n${secret}\n\n` +
              'Let the receiver accept it beside the old one, then: rotate --step promote',
          );
          return;
        }
        const endpoint = await secrets[step]('operator', id);
        output.result(
          endpoint,
          step === 'promote'
            ? 'The next secret signs from now on. When the old one is nowhere in use: rotate --step retire'
            : 'The old secret is gone. The rotation is complete.',
        );
      }),
    );

  webhooks
    .command('reseal')
    .description('seal all secrets with the first of two ENCRYPTION_KEYs; then remove the second')
    .action(() =>
      withServices(output, async (services) => {
        const count = await services.get(SealedSecretsService).reseal();
        output.result(
          count,
          `${count.resealed} webhook secrets are sealed with the first ENCRYPTION_KEY now` +
            (count.unreadable > 0
              ? `. ${count.unreadable} do not open with either key: give these endpoints new secrets.`
              : ', and the second one can be removed.'),
        );
      }),
    );

  webhooks.addCommand(listenCommand(output));
  return webhooks;
}

const toRow = (endpoint: EndpointView): Row => ({
  id: endpoint.id,
  url: endpoint.url,
  events: endpoint.events.join(','),
  state: endpoint.disabledAt
    ? `disabled: ${endpoint.disabledReason ?? ''}`
    : endpoint.failingSince
      ? `failing since ${at(endpoint.failingSince)}`
      : 'enabled',
});
