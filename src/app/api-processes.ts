import cluster from 'node:cluster';
import type { Config } from '../platform/config/config';
import type { Logger } from '../platform/observability/logger';
import type { RunningProcess } from '../platform/process/process';
import { ServiceProcess, settingsOf } from './child-process';

/**
 * Supervises `API_PROCESSES` API processes that share a port: this process accepts connections and hands them over in
 * turn. SIGUSR2 replaces the processes one by one; each stops once its successor serves, so no connection is refused.
 */
export async function startApiProcesses(
  config: Config,
  logger: Logger,
  signal: AbortSignal,
): Promise<RunningProcess> {
  const running = new Set<ServiceProcess>();
  let isStopping = false;
  const start = async (slot: number) => {
    const settings = settingsOf(config, slot);
    const it = new ServiceProcess('api', logger, { fork: () => cluster.fork(settings).process });
    running.add(it);
    const { port } = await it.started.catch((error: unknown) => {
      running.delete(it);
      throw error;
    });
    return { it, port };
  };
  const stop = async () => {
    isStopping = true;
    await Promise.all([...running].map((it) => it.stop()));
  };
  // The first may wait for the database.
  signal.addEventListener('abort', () => void stop());
  const slots: Awaited<ReturnType<typeof start>>[] = [];
  const startAll = async () => {
    // The others start after the first: it migrates the database and reports what prevents a start once.
    slots.push(await start(0));
    if (isStopping) return;
    const others = Array.from({ length: config.apiProcesses - 1 }, (_, n) => start(n + 1));
    slots.push(...(await Promise.all(others)));
  };
  const restart = async () => {
    logger.info('restarting the API processes one by one');
    for (const [slot, old] of slots.entries()) {
      if (isStopping) return;
      slots[slot] = await start(slot);
      await old.it.stop();
      running.delete(old.it);
    }
    logger.info('all API processes were restarted');
  };
  const started = startAll();
  // Already now: without a listener the signal would end this process. A restart waits for the start.
  let restarts = started;
  process.on('SIGUSR2', () => {
    restarts = restarts.then(restart).catch((error: unknown) => {
      if (!isStopping) logger.error({ err: error }, 'the restart was aborted');
    });
  });
  try {
    await started;
    if (isStopping) return { stop };
    const port = slots[0]?.port;
    logger.info(
      { port, processes: slots.length },
      'the API processes serve; SIGUSR2 restarts them one by one',
    );
    return { stop, ready: { port } };
  } catch (error) {
    await stop();
    throw error;
  }
}
