import { Command, InvalidArgumentError, Option } from 'commander';
import { AccountsService } from '../access/accounts/accounts.service';
import {
  DeliveriesService,
  type AttemptView,
  type DeliveryDetail,
  type DeliverySummary,
} from '../webhooks/deliveries/deliveries.service';
import { at, type Output, type Row } from './output';
import { withServices } from './services';

const STATUSES = ['pending', 'delivered', 'failed', 'cancelled'] as const;

interface ListOptions {
  account?: string;
  endpoint?: string;
  event?: string;
  status?: (typeof STATUSES)[number];
  limit: number;
}

interface RetryOptions {
  failed?: true;
  since?: Date;
  account?: string;
  endpoint?: string;
}

/** What became of the events that were sent. */
export function deliveriesCommand(output: Output): Command {
  const deliveries = new Command('deliveries').description(
    'look at webhook deliveries and retry them',
  );

  deliveries
    .command('list')
    .description('list deliveries, the newest first')
    .option('--account <account>', 'of this account: e-mail address or id')
    .option('--endpoint <id>', 'to this endpoint')
    .option('--event <type>', 'of this event type')
    .addOption(new Option('--status <status>', 'with this status').choices(STATUSES))
    .option('--limit <n>', 'how many, at most 200', wholeNumber, 50)
    .action(({ account, endpoint, ...filter }: ListOptions) =>
      withServices(output, async (services) => {
        const owner = await ownerOf(services.get(AccountsService), account);
        const found = await services
          .get(DeliveriesService)
          .list(owner, { ...filter, endpointId: endpoint });
        output.list(found, found.map(toRow), 'There are no such deliveries.');
      }),
    );

  deliveries
    .command('show')
    .description('show a delivery, its body and every attempt')
    .argument('<id>', 'id of the delivery')
    .action((id: string) =>
      withServices(output, async (services) => {
        const delivery = await services.get(DeliveriesService).get('operator', id);
        output.result(delivery, describe(delivery));
      }),
    );

  deliveries
    .command('retry')
    .description('try a delivery again now; or, with --failed, all that failed since a time')
    .argument('[id]', 'id of the delivery')
    .option('--failed', 'all that ended as failed')
    .option('--since <time>', 'with --failed: since when, e.g. 2026-01-31T12:00Z', time)
    .option('--account <account>', 'with --failed: of this account')
    .option('--endpoint <id>', 'with --failed: to this endpoint')
    .action((id: string | undefined, options: RetryOptions, command: Command) => {
      if ((id === undefined) === (options.failed === undefined))
        command.error('error: give the id of a delivery, or --failed with --since');
      if (options.failed && !options.since)
        command.error('error: --failed needs --since, the time from which on to retry');
      return withServices(output, async (services) => {
        const service = services.get(DeliveriesService);
        if (id === undefined) {
          const owner = await ownerOf(services.get(AccountsService), options.account);
          const since = options.since ?? new Date(0);
          const retried = await service.retryFailed(owner, since, options.endpoint);
          output.result({ retried }, `${retried} failed deliveries are tried again.`);
          return;
        }
        const delivery = await service.retry('operator', id);
        output.result(
          delivery,
          'It is tried again within about a second, if a worker runs.\n' +
            `See what came of it: npm run -s quizctl -- deliveries show ${id}`,
        );
      });
    });

  return deliveries;
}

async function ownerOf(accounts: AccountsService, account: string | undefined) {
  return account === undefined ? 'operator' : { accountId: (await accounts.get(account)).id };
}

function wholeNumber(text: string): number {
  const number = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > 200) throw new InvalidArgumentError('It must be from 1 to 200.');
  return number;
}

function time(text: string): Date {
  const date = new Date(text);
  if (Number.isNaN(date.getTime()))
    throw new InvalidArgumentError('Write it as 2026-01-31 or 2026-01-31T12:00Z.');
  return date;
}

const toRow = (delivery: DeliverySummary): Row => ({
  id: delivery.id,
  event: delivery.event,
  status: delivery.paused ? 'paused' : delivery.status,
  attempts: delivery.attempts,
  last: delivery.lastAttempt && resultOf(delivery.lastAttempt),
  next: at(delivery.nextAttemptAt),
  created: at(delivery.createdAt),
  url: delivery.url,
});

/** `HTTP 500`, `timeout`, or both where an answer broke off. */
function resultOf({ status, error, kind }: AttemptView): string {
  if (kind === 'interrupted') return 'interrupted';
  return [status !== null && `HTTP ${status}`, error].filter(Boolean).join(', ');
}

export function attemptLine(attempt: AttemptView): string {
  const took = attempt.durationMs === null ? '' : ` in ${attempt.durationMs} ms`;
  const answer = attempt.response
    ? `\n    ${attempt.response.slice(0, 500).trimEnd().replaceAll('\n', '\n    ')}`
    : '';
  const advice =
    attempt.error === 'address_refused'
      ? '\n    It must be https and public. In development set WEBHOOK_ALLOW_INSECURE=true.'
      : '';
  return `${attempt.number}. ${at(attempt.startedAt)}  ${attempt.kind}: ${resultOf(attempt)}${took}${advice}${answer}`;
}

function describe(delivery: DeliveryDetail): string {
  return [
    `${delivery.event} to ${delivery.url}`,
    `Status    ${delivery.paused ? 'paused, its endpoint is disabled' : delivery.status}`,
    `Event     ${delivery.eventId}`,
    delivery.nextAttemptAt && `Next try  ${at(delivery.nextAttemptAt)}`,
    `Body      ${delivery.body}`,
    delivery.attemptLog.length > 0 ? 'Attempts' : 'No attempt was made yet.',
    ...delivery.attemptLog.map((attempt) => `  ${attemptLine(attempt)}`),
  ]
    .filter(Boolean)
    .join('\n');
}
