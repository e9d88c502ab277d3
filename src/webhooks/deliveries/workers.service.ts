import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { HealthCheck, HealthResult } from '../../platform/health/readiness.service';
import { GONE_AFTER, listWorkers, type WorkerView } from './workers.queries';

/** Tells health checks, tools and pages whether a worker runs. */
@Injectable()
export class WorkersService implements HealthCheck {
  readonly name = 'worker';

  constructor(private readonly database: DataSource) {}

  list(): Promise<WorkerView[]> {
    return listWorkers(this.database);
  }

  /** Whether at least one worker is alive. */
  async isRunning(): Promise<boolean> {
    return (await this.list()).some(({ alive }) => alive);
  }

  /** It does not affect the readiness of the API: events wait in the database. */
  async checkHealth(): Promise<HealthResult> {
    const alive = (await this.list()).filter((worker) => worker.alive);
    if (alive.length === 0) return ABSENT;
    const cutOff = alive.filter(({ queueAnswers }) => !queueAnswers).length;
    if (cutOff === alive.length) return STUCK;
    if (cutOff === 0) return { state: 'up' };
    // The reconciler of another worker adds the jobs of events that one of these has relayed.
    return {
      state: 'up',
      note: `The queue does not respond to ${cutOff} of ${alive.length} workers (quizctl doctor names their hosts): some events are sent up to a minute late.`,
    };
  }
}

const ABSENT: HealthResult = {
  state: 'down',
  note: `No worker has given a sign of life for ${GONE_AFTER} seconds: events and imports wait for one.`,
};
const STUCK: HealthResult = {
  state: 'stuck',
  note: 'The queue of the workers does not respond: events and imports wait for it.',
};
