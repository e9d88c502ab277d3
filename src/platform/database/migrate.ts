import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { Foundation1790000000000 } from './migrations/1790000000000-foundation';
import { DerivedData1790000001000 } from './migrations/1790000001000-derived-data';
import { Webhooks1790000002000 } from './migrations/1790000002000-webhooks';
import { Play1790000003000 } from './migrations/1790000003000-play';
import { Dashboard1790000004000 } from './migrations/1790000004000-dashboard';
import { Imports1790000005000 } from './migrations/1790000005000-imports';
import { CountersInTurn1790000006000 } from './migrations/1790000006000-counters-in-turn';
import { Ranks1790000007000 } from './migrations/1790000007000-ranks';
import { Idempotency1790000009000 } from './migrations/1790000009000-idempotency';
import { LeaderboardCare1790000011000 } from './migrations/1790000011000-leaderboard-care';
import { ImportQuizzes1790000012000 } from './migrations/1790000012000-import-quizzes';
import { NoFixedShuffle1790000014000 } from './migrations/1790000014000-no-fixed-shuffle';
import { BlocksOfBlocks1790000015000 } from './migrations/1790000015000-blocks-of-blocks';
import { SearchVisibility1790000016000 } from './migrations/1790000016000-search-visibility';
import { ContentLimits1790000020000 } from './migrations/1790000020000-content-limits';
import { WithdrawnPrivileges1790000021000 } from './migrations/1790000021000-withdrawn-privileges';
import { WorkerLeases1790000022000 } from './migrations/1790000022000-worker-leases';
import { TitleOrder1790000023000 } from './migrations/1790000023000-title-order';
import { SubscriptionOrder1790000024000 } from './migrations/1790000024000-subscription-order';

/** In order. A migration that has been released is never changed. */
const MIGRATIONS = [
  Foundation1790000000000,
  DerivedData1790000001000,
  Webhooks1790000002000,
  Play1790000003000,
  Dashboard1790000004000,
  Imports1790000005000,
  CountersInTurn1790000006000,
  Ranks1790000007000,
  Idempotency1790000009000,
  LeaderboardCare1790000011000,
  ImportQuizzes1790000012000,
  NoFixedShuffle1790000014000,
  BlocksOfBlocks1790000015000,
  SearchVisibility1790000016000,
  ContentLimits1790000020000,
  WithdrawnPrivileges1790000021000,
  WorkerLeases1790000022000,
  TitleOrder1790000023000,
  SubscriptionOrder1790000024000,
];

/** As the table `migrations` names them when they are done. */
export const MIGRATION_NAMES = MIGRATIONS.map((migration) => migration.name);

/** Any number that no other user of advisory locks in this database takes. */
export const MIGRATION_LOCK = 7_311_093_550_266;

/**
 * Brings the schema up to date. TypeORM takes no lock of its own, and three of four processes that
 * start together fail without one: so everybody waits here for the first to finish.
 * @returns the names of the migrations that were run, none when the schema was up to date
 */
export async function migrate(url: string): Promise<string[]> {
  // A migration may take long: only the connecting has a limit, and a silent connection is noticed by keep-alive.
  const lock = new Client({
    connectionString: url,
    application_name: 'quiz-migrate',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
  });
  await lock.connect();
  const database = new DataSource({
    type: 'postgres',
    url,
    connectTimeoutMS: 5_000,
    extra: { keepAlive: true, keepAliveInitialDelayMillis: 5_000 },
    migrations: MIGRATIONS,
    logging: ['error'],
  });
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await database.initialize();
    const done = await database.runMigrations({ transaction: 'each' });
    return done.map((migration) => migration.name);
  } finally {
    if (database.isInitialized) await database.destroy();
    await lock.end();
  }
}
