import { InvalidArgumentError } from 'commander';
import { quizctl } from '../platform/config/command-line';
import { Conflict, NotFound } from '../platform/errors/domain-errors';
import { instantOf } from '../platform/text/instant.rules';
import { curlOf } from '../webhooks/deliveries/curl';
import type {
  AttemptView,
  DeliveryDetail,
  DeliverySummary,
} from '../webhooks/deliveries/deliveries.dto';
import type { DeliveryFilter } from '../webhooks/deliveries/deliveries.service';
import { argument, command, group, integer, option, ownerOf } from './command';
import { count } from './import-report';
import { at, plain, type Row } from './output';
import type { Services } from './services';

const STATUSES = ['pending', 'delivered', 'failed', 'cancelled'];

/** The deliveries of events and their results. */
export const deliveriesCommand = group('deliveries', 'look at webhook deliveries and retry them', [
  command<DeliveryFilter & { account?: string; endpoint?: string }>({
    name: 'list',
    description: 'list deliveries, the newest first',
    parameters: [
      option('--account <account>', 'of this account: e-mail address or id'),
      option('--endpoint <id>', 'to this endpoint'),
      option('--event <type>', 'of this event type'),
      option('--status <status>', 'with this status', STATUSES),
      option('--limit <n>', 'how many, at most 200').argParser(integer(1, 200)).default(50),
      option('--before <id>', 'older than this delivery'),
    ],
    async run(services, { account, endpoint, ...filter }, output) {
      const owner = await ownerOf(services, account);
      const found = await services.deliveries.list(owner, { ...filter, endpointId: endpoint });
      output.list(found, found.map(toRow), 'No deliveries match.');
      const last = found.at(-1);
      if (last && found.length === filter.limit)
        output.note(`There may be older ones: list them with --before ${last.id}`);
    },
  }),

  command<{ id: string; curl?: true }>({
    name: 'show',
    description: 'show a delivery, its body, its request headers and every attempt',
    parameters: [
      argument('<id>', 'id of the delivery'),
      option('--curl', 'only a curl command that makes the request again, signed now'),
    ],
    async run(services, { id, curl }, output) {
      const delivery = await services.deliveries.get('operator', id);
      if (!curl) {
        output.result(delivery, describe(delivery));
        return;
      }
      const command = curlOf(delivery);
      if (command === null)
        throw new Conflict(
          'The secret of the endpoint cannot be decrypted: set the ENCRYPTION_KEY that the service has.',
        );
      output.result({ curl: command }, command);
    },
  }),

  command<{ id?: string; failed?: true; since?: Date; account?: string; endpoint?: string }>({
    name: 'retry',
    description: 'retry a delivery now; with --failed, all that failed since a time',
    parameters: [
      argument('[id]', 'id of the delivery'),
      option('--failed', 'all that ended as failed'),
      option('--since <time>', 'with --failed: since when, e.g. 2026-01-31T12:00Z').argParser(time),
      option('--account <account>', 'with --failed: of this account'),
      option('--endpoint <id>', 'with --failed: to this endpoint'),
    ],
    check({ id, failed, since }) {
      if ((id === undefined) === (failed === undefined))
        return 'give the id of a delivery, or --failed with --since';
      return failed && !since ? '--failed needs --since, the time from which on to retry' : null;
    },
    async run(services, { id, since = new Date(0), account, endpoint }, output) {
      const service = services.deliveries;
      if (id === undefined) {
        let retried = 0;
        for (const one of await endpointsOf(services, account, endpoint))
          retried += await service.retryFailed('operator', since, one);
        output.result(
          { retried },
          `Retried: ${count(retried, 'failed delivery', 'failed deliveries')}.`,
        );
        return;
      }
      output.result(
        await service.retry('operator', id),
        'It is tried again at once, if a worker runs.\n' +
          `See the result: ${quizctl(`deliveries show ${id}`)}`,
      );
    },
  }),
]);

/**
 * For the operator, whom the limit of an account does not stop, and who uses none of it up.
 * @returns ids; null: all endpoints
 */
async function endpointsOf(
  services: Services,
  account: string | undefined,
  endpoint: string | undefined,
): Promise<(string | null)[]> {
  if (account === undefined) return [endpoint ?? null];
  const all = await services.endpoints.list(await ownerOf(services, account));
  if (endpoint === undefined)
    return all.filter(({ disabledAt }) => !disabledAt).map(({ id }) => id);
  if (!all.some(({ id }) => id === endpoint.toLowerCase()))
    throw new NotFound(
      'Webhook endpoint',
      `This account has no endpoint ${endpoint}. List its endpoints: ${quizctl(`webhooks list --account ${account}`)}`,
    );
  return [endpoint];
}

function time(text: string): Date {
  const instant = instantOf(text);
  if (!instant) throw new InvalidArgumentError('Write it as 2026-01-31 or 2026-01-31T12:00Z.');
  return instant;
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

/** `HTTP 500`, `timeout`, or both if the connection broke during the response. */
function resultOf({ status, error, kind }: AttemptView): string {
  if (kind === 'interrupted') return 'interrupted';
  return [status !== null && `HTTP ${status}`, error].filter(Boolean).join(', ');
}

export function attemptLine(attempt: AttemptView): string {
  const took = attempt.durationMs === null ? '' : ` in ${attempt.durationMs} ms`;
  const lines = attempt.response ? attempt.response.slice(0, 500).trimEnd().split('\n') : [];
  const response = lines.map((line) => `\n    ${plain(line)}`).join('');
  const advice =
    attempt.error === 'address_refused'
      ? '\n    It must be https and public. In development it may be http://localhost; for other local hosts set WEBHOOK_ALLOW_INSECURE=true.'
      : '';
  return `${attempt.number}. ${at(attempt.startedAt)}  ${attempt.kind}: ${resultOf(attempt)}${took}${advice}${response}`;
}

/** Of the last attempt. */
function headerLines({ attemptLog }: DeliveryDetail): string[] {
  const headers = Object.entries(attemptLog.at(-1)?.requestHeaders ?? {});
  const lines = headers.map(([name, value]) => `  ${name}: ${value}`);
  return lines.length === 0
    ? []
    : ['Request headers of the last attempt, signed with the present secret', ...lines];
}

function describe(delivery: DeliveryDetail): string {
  return [
    `${delivery.event} to ${delivery.url}`,
    `Status    ${delivery.paused ? 'paused, its endpoint is disabled' : delivery.status}`,
    `Event     ${delivery.eventId}`,
    delivery.nextAttemptAt && `Next try  ${at(delivery.nextAttemptAt)}`,
    `Body      ${plain(delivery.body)}`,
    ...headerLines(delivery),
    delivery.attemptLog.length > 0 ? 'Attempts' : 'No attempt has been made yet.',
    ...delivery.attemptLog.map((attempt) => `  ${attemptLine(attempt)}`),
  ]
    .filter(Boolean)
    .join('\n');
}
