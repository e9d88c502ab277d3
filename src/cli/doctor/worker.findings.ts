import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { countImports } from '../../import-export/imports/import.queries';
import { query, sql } from '../../platform/database/sql';
import type { WorkerView } from '../../webhooks/deliveries/workers.queries';
import { WorkersService } from '../../webhooks/deliveries/workers.service';
import { type DoctorFinding, failure, good, warning } from './findings';

/** Whether a process delivers webhooks, and imports get on. */
export async function workerFindings(database: DataSource): Promise<DoctorFinding[]> {
  const workers = new WorkersService(database);
  const beating = await beatingWorkers(workers);
  if (beating.length === 0) return [await missingFinding(database)];
  return [deliveryFinding(beating), await importsFinding(database)];
}

async function missingFinding(database: DataSource): Promise<DoctorFinding> {
  const [row] = await query<{ readOnly: boolean }[]>(
    database,
    sql`SELECT current_setting('transaction_read_only')::boolean AS "readOnly"`,
  );
  return warning(
    'worker',
    row?.readOnly
      ? 'A read-only database stores no heartbeats, so it is not known whether a worker runs. Run the doctor again when the database takes writes.'
      : 'No worker runs: events and imports wait in the database. Start one with npm run start:worker.',
  );
}

/** Milliseconds. Heartbeats are a second apart. */
const BEATS_WITHIN = 3_000;
/** Milliseconds between two looks. */
const LOOK_EVERY = 250;

/**
 * The workers whose heartbeat moves while it is watched, as it was last seen: a restored backup holds those of the
 * workers that ran when it was made.
 */
async function beatingWorkers(workers: WorkersService): Promise<WorkerView[]> {
  const first = (await workers.list()).filter(({ alive }) => alive);
  const before = new Map(first.map(({ id, seenAt }) => [id, seenAt.getTime()]));
  const beating = new Map<string, WorkerView>();
  const until = performance.now() + BEATS_WITHIN;
  while (beating.size < first.length && performance.now() < until) {
    await sleep(LOOK_EVERY);
    for (const worker of await workers.list())
      if (worker.seenAt.getTime() > (before.get(worker.id) ?? Infinity))
        beating.set(worker.id, worker);
  }
  return first.flatMap(({ id }) => beating.get(id) ?? []);
}

function deliveryFinding(alive: WorkerView[]): DoctorFinding {
  const apart = alive.filter(({ queueAnswers }) => !queueAnswers);
  // The doctor may run on a host that reaches the queue.
  const hosts = apart.length === 1 ? 'that host' : 'those hosts';
  if (apart.length === alive.length)
    return failure(
      'worker',
      `The queue does not respond to ${alive.length === 1 ? 'the worker' : 'any worker'} (${places(apart)}). If the finding about the queue is good, check the connection from ${hosts}.`,
    );
  if (apart.length > 0)
    return warning(
      'worker',
      `The queue does not respond to ${apart.length} of ${alive.length} workers (${places(apart)}): check the connection from ${hosts}.`,
    );
  return good(
    'worker',
    `${alive.length === 1 ? 'A worker delivers' : `${alive.length} workers deliver`} (${places(alive)}).`,
  );
}

/** Whether imports get on. Nothing runs for them while there are none. */
async function importsFinding(database: DataSource): Promise<DoctorFinding> {
  const { waiting, running, stalled, oldestSeconds } = await countImports(database);
  if (stalled > 0)
    return warning(
      'imports',
      `${stalled} of the ${running} running imports ${stalled === 1 ? 'has' : 'have'} made no progress for a minute. Read the lines of the process "imports" in the worker's log.`,
    );
  if (running === 0 && waiting > 0 && oldestSeconds > WAITS_SECONDS)
    return warning(
      'imports',
      `${waiting === 1 ? 'An import waits' : `${waiting} imports wait`} for ${Math.round(oldestSeconds)} s, and none runs. Read the lines of the process "imports" in the worker's log.`,
    );
  return good('imports', `Imports that run: ${running}; that wait: ${waiting}.`);
}

/** A worker begins within a second. */
const WAITS_SECONDS = 60;

const places = (workers: WorkerView[]): string =>
  workers.map(({ host, pid }) => `${host}, process ${pid}`).join('; ');
