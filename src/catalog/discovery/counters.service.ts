import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type CounterCheck, rebuildCounters, verifyCounters } from './counters.queries';

export type { CounterCheck };

/** Verifies and rebuilds the counters behind every total. Triggers maintain them. */
@Injectable()
export class CountersService {
  constructor(private readonly database: DataSource) {}

  /** Compares each counter with a count; exact beside a running service. */
  verify(): Promise<CounterCheck[]> {
    return this.database.transaction((tx) => verifyCounters(tx));
  }

  /** Recounts everything, with or without a running service. */
  async rebuild(): Promise<void> {
    await this.database.transaction((tx) => rebuildCounters(tx));
  }
}
