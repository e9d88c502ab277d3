import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { isTimeOut } from '../query-errors';
import { ReadYourWrites } from './read-your-writes';
import { Replicas } from './replicas';

/**
 * Where reads that may be seconds old are made: on a replica where DATABASE_REPLICA_URLS names some, else on the
 * primary. Whoever has just written reads from the primary, and so do all while no replica is well.
 */
@Injectable()
export class ReplicaRouter {
  constructor(
    private readonly primary: DataSource,
    private readonly replicas: Replicas,
    private readonly writes: ReadYourWrites,
  ) {}

  /**
   * @param accountId who reads; null for what everybody sees alike
   * @param work reads only; it is done again on the primary when the replica fails it
   */
  async read<T>(accountId: string | null, work: (db: EntityManager) => Promise<T>): Promise<T> {
    const replica = this.replicas.pick();
    if (!replica || (accountId !== null && (await this.writes.has(accountId))))
      return work(this.primary.manager);
    try {
      return await work(replica);
    } catch (error) {
      // It would take as long on the primary.
      if (isTimeOut(error)) throw error;
      // Lost on its way, or in conflict with what the replica replays. An internal error fails there again.
      return work(this.primary.manager);
    }
  }
}
