import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager } from 'typeorm';
import { Clock } from '../clock';
import { inBatches } from '../loop';
import { HOUR, Scheduled } from '../queue/scheduled';
import { KEY_LASTS } from './idempotency.service';

/** Deletes responses whose keys have expired. */
@Injectable()
export class IdempotencyRetention {
  constructor(
    @InjectEntityManager() private readonly database: EntityManager,
    private readonly clock: Clock,
  ) {}

  @Scheduled('retention of idempotent responses', HOUR)
  prune(): Promise<number> {
    const before = this.clock.cutoff(KEY_LASTS);
    return inBatches(async (limit) => {
      const [, count] = await this.database.query<[unknown[], number]>(PRUNE, [before, limit]);
      return count;
    });
  }
}

const PRUNE = `
DELETE FROM idempotent_responses WHERE (account_id, key) IN (
  SELECT account_id, key FROM idempotent_responses WHERE created_at <= $1
  ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED)`;
