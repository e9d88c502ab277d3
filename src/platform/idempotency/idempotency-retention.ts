import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager } from 'typeorm';
import { inBatches } from '../batches';
import { Clock } from '../clock';
import { HOUR } from '../durations';
import { Scheduled } from '../queue/scheduled';
import { deleteExpired } from './idempotency.queries';
import { KEY_LASTS } from './idempotency.rules';

/** Deletes responses whose keys have expired. */
@Injectable()
export class IdempotencyRetention {
  constructor(
    @InjectEntityManager() private readonly database: EntityManager,
    private readonly clock: Clock,
  ) {}

  @Scheduled({ name: 'retention of idempotent responses', every: HOUR })
  prune(): Promise<number> {
    const before = this.clock.cutoff(KEY_LASTS);
    return inBatches((limit) => deleteExpired(this.database, before, limit));
  }
}
