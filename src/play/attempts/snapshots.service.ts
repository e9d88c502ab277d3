import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { BoundedCache } from '../../platform/bounded-cache';
import { LIMITS } from '../../platform/limits/limits';
import type { StartedAttempt } from './attempt.queries';
import { drawnFor } from './attempt.rules';
import { readSnapshot, type SnapshotQuestion } from './snapshot.queries';

/**
 * The questions of snapshots. Every player of a quiz needs the same ones at each request, and a snapshot never changes:
 * its id is a hash of its questions. So those used last stay in memory.
 */
@Injectable()
export class SnapshotsService {
  private readonly cache = new BoundedCache<readonly SnapshotQuestion[]>(
    LIMITS.requests.snapshotsInMemory.value,
  );

  /** The questions of an attempt, in the author's order. @param database the transaction of the caller, if it has one */
  async ofAttempt(
    database: EntityManager,
    attempt: Pick<StartedAttempt, 'id' | 'snapshotId' | 'questionsPerAttempt'>,
  ): Promise<readonly SnapshotQuestion[]> {
    return drawnFor(attempt, await this.questions(database, attempt.snapshotId));
  }

  /** All, in order; none if it is not stored (any more). @param database the transaction of the caller, if it has one */
  async questions(database: EntityManager, id: string): Promise<readonly SnapshotQuestion[]> {
    const cached = this.cache.get(id);
    if (cached) return cached;
    const { questions, bytes } = await readSnapshot(database, id);
    if (questions.length > 0) this.cache.set(id, questions, bytes);
    return questions;
  }
}
