import '../platform/process/check-node';
import { styleText } from 'node:util';
import { ServiceProcess, settingsOf } from '../app/child-process';
import { START } from '../platform/config/command-line';
import { type Config, environment } from '../platform/config/config';
import { type OpenDatabase, openDatabase } from '../platform/database/open-database';
import { StartupError } from '../platform/errors/domain-errors';
import type { Logger } from '../platform/observability/logger';
import { requireFreePort } from '../platform/process/free-port';
import { type RunningProcess, runProcess } from '../platform/process/process';

/**
 * The whole service on one machine, `npm start`: the database with sample content, and the API and the worker as
 * child processes. docker-compose.yml has a service for the worker, and starts this one with `--no-worker`. Production
 * runs `start:api` and `start:worker` instead.
 */
async function start(config: Config, logger: Logger, signal: AbortSignal): Promise<RunningProcess> {
  await requireFreePort(config.port);
  let giveUp!: (error: StartupError) => void;
  const broken = new Promise<StartupError>((resolve) => (giveUp = resolve));
  const database = await openDatabase(
    config,
    {
      onRetry: (reason) => logger.warn(`waiting for the database: ${reason}`),
      signal,
      backUp: async (url) => {
        // Loaded when it is needed: every other start is faster without it.
        const { backUp } = await import('../import-export/exports/backup.ts');
        await backUp(url, config.dataDir, (message) => logger.warn(message));
      },
    },
    {
      onRestart: () => logger.warn('the embedded PostgreSQL ended by itself and was started again'),
      onGivenUp: (reason) =>
        giveUp(
          new StartupError(
            `The embedded PostgreSQL ended and could not be started again, three times within a minute: ${reason}. ` +
              `Read postgres.log in ${config.dataDir}, fix the cause and start again; or set DATABASE_URL.`,
          ),
        ),
    },
  );
  const processes: ServiceProcess[] = [];
  const stop = async () => {
    await database.unshare();
    // First the processes that use the database, then the database.
    await Promise.all(processes.map((it) => it.stop()));
    await database.close();
  };
  const abandon = () => processes.forEach((it) => void it.stop());
  try {
    signal.throwIfAborted();
    // What is starting is not waited for: Docker allows 10 s for a stop.
    signal.addEventListener('abort', abandon);
    // On a terminal, a line for each request would scroll the start-up message away.
    const quietSettings: Record<string, string> =
      process.stdout.isTTY && !environment().LOG_LEVEL ? { LOG_LEVEL: 'warn' } : {};
    const preparation = new ServiceProcess('content', logger, { settings: quietSettings });
    processes.push(preparation);
    const { content } = (await preparation.started) as { content: StartContent };
    await preparation.stop();
    // It was told to stop meanwhile: nothing else is started.
    signal.throwIfAborted();
    const services = [new ServiceProcess('api', logger, { settings: quietSettings })];
    if (!process.argv.includes(NO_WORKER))
      services.push(
        new ServiceProcess('worker', logger, {
          // The first ports for metrics are used by the API.
          settings: { ...quietSettings, ...settingsOf(config, config.apiProcesses) },
        }),
      );
    processes.push(...services);
    const [api] = await Promise.all(services.map((it) => it.started));
    signal.removeEventListener('abort', abandon);
    let announced = false;
    return {
      stop: async () => {
        await stop();
        const kept = database.kind === 'embedded' ? ` The data is in ${config.dataDir}.` : '';
        if (announced) process.stdout.write(`\n  Stopped.${kept} ${START} continues from here.\n`);
      },
      broken,
      announce: () => {
        announced = true;
        printBanner(
          config,
          database,
          api?.port ?? config.port,
          content,
          'LOG_LEVEL' in quietSettings,
        );
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What `npm start` has prepared. */
export interface StartContent {
  added: { quizzes: number; questions: number } | null;
  /** Null in production, and after the first administrator has taken over the demo account. */
  demoKey: string | null;
  /** In the link that creates the first administrator; null if there is one. */
  setUpToken: string | null;
}

/**
 * What `npm start` prints once everything runs.
 * @param isQuiet requests are not shown
 */
function printBanner(
  { publicUrlGiven, publicUrl, dataDir }: Config,
  { kind, url }: OpenDatabase,
  port: number,
  { added, demoKey, setUpToken }: StartContent,
  isQuiet: boolean,
): void {
  const out = process.stdout;
  const bold = (text: string) => (out.isTTY ? styleText('bold', text) : text);
  const faint = (text: string) => (out.isTTY ? styleText('dim', text) : text);
  const row = (name: string, value: string) => `  ${faint(name.padEnd(11))}${value}`;
  const base = publicUrlGiven ? publicUrl : `http://localhost:${port}`;
  const api = `${base}/api/v1`;
  const place =
    kind === 'embedded'
      ? `embedded PostgreSQL in ${dataDir}`
      : `PostgreSQL at ${new URL(url).host}`;
  const data = added
    ? `filled with ${added.quizzes} quizzes and ${added.questions} questions`
    : 'with the data that it has';
  const lines = [
    '',
    bold('  The Quiz Question Service is running.'),
    '',
    row('API', api),
    row('Dashboard', `${base}/dashboard`),
    row('Docs', `${base}/docs`),
    row('Database', `${place}, ${data}`),
  ];
  if (!demoKey) lines.push(row('API keys', `${base}/dashboard/keys`));
  else
    lines.push(
      row('Demo key', demoKey),
      '',
      faint('  Try it:'),
      '',
      `curl -s -H "Authorization: Bearer ${demoKey}" "${api}/quizzes?limit=3"`,
    );
  if (setUpToken)
    lines.push(
      '',
      faint(
        `  Open this one-time link to become the first administrator${demoKey ? ', who takes over the demo account; its key is then revoked' : ''}:`,
      ),
      '',
      `${base}/dashboard/set-up?token=${setUpToken}`,
    );
  lines.push('', faint('  Ctrl-C stops it. The data stays.'));
  if (isQuiet) lines.push(faint(`  LOG_LEVEL=info ${START} shows every request.`));
  lines.push('', '');
  out.write(lines.join('\n'));
}

const NO_WORKER = '--no-worker';

/** Longer than its processes have (child-process.ts): the database is stopped after them, not left behind. */
const STOP_WITHIN = 45_000;

runProcess('service', start, STOP_WITHIN);
