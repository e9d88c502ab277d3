import { Command } from 'commander';
import type { Account } from '../access/accounts/account.entity';
import { CATALOGUE_ACCOUNT, DEMO_ACCOUNT } from '../access/accounts/built-in-accounts';
import { EVENT_NAMES } from '../events/event-map';
import { quizctl, START } from '../platform/config/command-line';
import { Malformed, NotFound } from '../platform/errors/domain-errors';
import { parseUrl } from '../platform/text/url.rules';
import { ALL_EVENTS, eventsNamed, isLoopbackHost } from '../webhooks/endpoints/endpoint.rules';
import { integer, withServices } from './command';
import type { Output } from './output';
import type { Services } from './services';
import { isListening, WebhookListener } from './webhook-listener';

/** The path of temporary endpoints: how a later run recognises one that was left over. */
const TEMPORARY_PATH = '/quizctl-listen';

/** How long the test event may take before we say that it has not arrived. Milliseconds. */
const TEST_PATIENCE = 8_000;

/** A terminal's Ctrl-C reaches this process twice, since npm passes it on: only a later one is a second one. */
const SECOND_AFTER = 1_000;

interface Options {
  account?: string;
  events: string;
  allAccounts?: true;
  port?: number;
  secret?: string;
  status: number;
}

/** A receiver for a developer's machine, with an endpoint that exists as long as the command runs. */
export function listenCommand(output: Output): Command {
  return new Command('listen')
    .description(
      'receive events on this machine by a temporary endpoint, print them and check their signatures',
    )
    .option('--account <account>', 'whose events: the demo account, or the only one there is')
    .option('--events <events>', 'event types, separated by commas', ALL_EVENTS)
    .option('--all-accounts', 'the events of every account, if --account is an administrator')
    .option('--port <port>', 'port to listen on (default: 4000, or a free one)', integer(0, 65_535))
    .option('--secret <secret>', 'add no endpoint: only listen, with the secret of one you have')
    .option(
      '--status <code>',
      'what to respond, to see failures and retries',
      integer(200, 599),
      200,
    )
    .action((options: Options) => output.attempt(() => listen(output, options)));
}

async function listen(output: Output, options: Options): Promise<void> {
  const stopped = untilStopped(output);
  const listener = await WebhookListener.start(output, options);
  try {
    if (options.secret === undefined) await receiveTemporarily(output, options, listener, stopped);
    else {
      listener.secret = options.secret;
      output.note(
        `Listening on ${listener.origin}, responding with ${options.status}. Press Ctrl-C to stop.\n`,
      );
      await stopped;
    }
  } finally {
    await listener.close();
  }
}

/**
 * Between adding and removing the endpoint nothing of the service is in use: it may be stopped and started, and its
 * embedded database with it.
 */
async function receiveTemporarily(
  output: Output,
  options: Options,
  listener: WebhookListener,
  stopped: Promise<void>,
): Promise<void> {
  let id: string | undefined;
  try {
    await withServices(output, async (services) => {
      id = await addEndpoint(services, output, options, listener);
      await tryEndpoint(services, output, id);
    });
    await stopped;
  } finally {
    if (id !== undefined) await removeAtTheEnd(output, id);
  }
  const { received, verified } = listener;
  output.note(`Removed. ${received} received, ${verified} with a valid signature.`);
}

async function removeAtTheEnd(output: Output, id: string): Promise<void> {
  output.note('\nRemoving the temporary endpoint …');
  try {
    await withServices(output, (services) => removeEndpoint(services, id));
  } catch (error) {
    output.note('It stays for now: the next “webhooks listen” removes it.');
    throw error;
  }
}

async function addEndpoint(
  services: Services,
  output: Output,
  { account, events, allAccounts, status }: Options,
  listener: WebhookListener,
): Promise<string> {
  const owner = await accountFor(services, account);
  const endpoints = services.endpoints;
  const url = listener.origin + TEMPORARY_PATH;
  const removed = await removeLeftOver(services, url);
  if (removed > 0) output.note(`Removed ${removed} temporary endpoint(s) of an earlier run.`);
  const wanted = eventsNamed(events.split(','));
  const { endpoint, secret } = await endpoints.add(
    owner.id,
    { url, events: wanted, allAccounts },
    'operator',
  );
  listener.secret = secret;
  const whose = allAccounts ? 'all accounts' : owner.email;
  const which = endpoint.events.length === EVENT_NAMES.length ? 'all' : endpoint.events.join(', ');
  output.note(
    `Listening for the events of ${whose}. Press Ctrl-C to stop.\n\n` +
      `  Endpoint   ${url}, until you stop\n` +
      `  Events     ${which}\n` +
      `  Response   ${status}\n`,
  );
  return endpoint.id;
}

/** A test event goes all the way: whoever sees it knows that the events to come arrive as well. */
async function tryEndpoint(services: Services, output: Output, id: string): Promise<void> {
  if (!(await services.workers.isRunning())) {
    output.note(
      `No worker is running, so events wait. They arrive once the service runs: ${START}\n`,
    );
    return;
  }
  const deliveries = services.deliveries;
  const deliveryId = await deliveries.sendTest('operator', id);
  const { attemptLog } = await deliveries.afterNextAttempt(
    'operator',
    deliveryId,
    0,
    TEST_PATIENCE,
  );
  const [attempt] = attemptLog;
  if (!attempt) output.note('The test event has not been sent yet: the worker is busy.\n');
  else if (attempt.error === 'address_refused')
    output.note(
      'The worker refuses to send to this machine: it allows that only with NODE_ENV=development, the default. Use a service in development.\n',
    );
  else if (attempt.error)
    output.note(
      `The worker did not reach this command (${attempt.error}). Does it run on another machine, or in a container? Run this command there.\n`,
    );
}

/** @throws NotFound, Malformed if there are several accounts to choose from */
async function accountFor(services: Services, named: string | undefined): Promise<Account> {
  const accounts = services.accounts;
  if (named !== undefined) return accounts.get(named);
  const all = await accounts.list();
  const demo = all.find(({ email }) => email === DEMO_ACCOUNT);
  if (demo) return demo;
  const candidates = all.filter((it) => it.email !== CATALOGUE_ACCOUNT && !it.disabledAt);
  const [only] = candidates;
  if (!only)
    throw new Malformed(
      `There is no account yet. Start the service (${START}), which makes one, or create one: ${quizctl('accounts create --help')}`,
    );
  if (candidates.length > 1)
    throw new Malformed(
      `Say whose events with --account, for example --account ${only.email}. All accounts: ${quizctl('accounts list')}`,
    );
  return only;
}

/** Endpoints of runs that were killed, or that could not reach the database at their end. @returns how many */
async function removeLeftOver(services: Services, ownUrl: string): Promise<number> {
  const endpoints = await services.endpoints.list('operator');
  let removed = 0;
  for (const { id, url } of endpoints) {
    if (!isTemporary(url) || (url !== ownUrl && (await isListening(url)))) continue;
    await removeEndpoint(services, id);
    removed++;
  }
  return removed;
}

function isTemporary(url: string): boolean {
  const parsed = parseUrl(url);
  return parsed !== null && parsed.pathname === TEMPORARY_PATH && isLoopbackHost(parsed.hostname);
}

/** Its pending deliveries are cancelled. Somebody may have removed it already, in the dashboard for example. */
async function removeEndpoint(services: Services, id: string): Promise<void> {
  try {
    await services.endpoints.remove('operator', id);
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
  }
}

/** Resolves at Ctrl-C, or when the terminal is closed. A second Ctrl-C ends the process at once. */
function untilStopped(output: Output): Promise<void> {
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    const stop = () => {
      if (firstAt !== undefined && Date.now() - firstAt > SECOND_AFTER) {
        output.note('Stopped. The next “webhooks listen” removes the temporary endpoint.');
        process.exit(1);
      }
      firstAt ??= Date.now();
      resolve();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  });
}
