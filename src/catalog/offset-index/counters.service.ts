import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import {
  rebuildCounters,
  TIDY_BLOCKS,
  verifyCounters,
  type CounterCheck,
} from './counters.queries';

export type { CounterCheck };

/** The counters behind every total. Triggers keep them; this is to make sure of it. */
@Injectable()
export class CountersService {
  constructor(private readonly database: DataSource) {}

  /** Each counter against a count; exact beside a running service. */
  verify(): Promise<CounterCheck[]> {
    return this.database.transaction((tx) => verifyCounters(tx));
  }

  /** Counts everything anew, beside a running service or without one. */
  async rebuild(): Promise<void> {
    await this.database.transaction((tx) => rebuildCounters(tx));
    const session = this.database.createQueryRunner();
    try {
      await session.query('SET statement_timeout = 0');
      await session.query(TIDY_BLOCKS);
    } finally {
      await session.query('RESET statement_timeout');
      await session.release();
    }
  }
}
