import { Injectable } from '@nestjs/common';
import type { Finding, HealthCheck } from '../../platform/health/readiness.service';
import { WorkersService } from './workers.service';

/** Whether anybody delivers. It says nothing of the API, whose events wait in the database. */
@Injectable()
export class WorkersCheck implements HealthCheck {
  readonly name = 'worker';

  constructor(private readonly workers: WorkersService) {}

  async look(): Promise<Finding> {
    const alive = (await this.workers.list()).filter((worker) => worker.alive);
    if (alive.length === 0) return ABSENT;
    return alive.some(({ queueAnswers }) => queueAnswers) ? { state: 'up' } : STUCK;
  }
}

const ABSENT: Finding = {
  state: 'down',
  note: 'No webhook worker has given a sign of life for 15 seconds: events wait for one.',
};

const STUCK: Finding = {
  state: 'stuck',
  note: 'The queue of the webhook workers does not answer: events wait for it.',
};
