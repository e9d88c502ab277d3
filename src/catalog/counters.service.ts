import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { rebuildCounters, verifyCounters, type CounterCheck } from './counters.queries';

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
  rebuild(): Promise<void> {
    return this.database.transaction((tx) => rebuildCounters(tx));
  }
}
