import { BullModule } from '@nestjs/bullmq';
import { Module, type DynamicModule, Inject, Injectable } from '@nestjs/common';
import {
  assertSchemaCompatibility,
  ErrorCode,
  LATEST_SCHEMA_VERSION,
  runMigrations,
  SchemaMigrationRequiredError,
} from 'bullmq';
import type { Client } from 'pg';
import type { Config } from '../config/config';
import { connectForMigrations } from '../database/migrate';
import { StartupError } from '../errors/domain-errors';
import { quizctl } from '../process/command-line';
import { queueOptions } from './queue-options';
import { LOGGER, type Logger } from '../observability/logger';

@Module({})
class QueueConnectionModule {}

/**
 * Where BullMQ keeps its jobs: in Redis with REDIS_URL, else in the schema `bullmq` of the database
 * (created by `migrateQueue`). Every queue and processor of the process uses it.
 */
export function queueConnection(config: Config, databaseUrl: string): DynamicModule {
  return {
    module: QueueConnectionModule,
    global: true,
    imports: [BullModule.forRoot(queueOptions(config, databaseUrl))],
    providers: [QueueState],
    exports: [QueueState],
  };
}

/**
 * Brings BullMQ's own schema up to date, in a transaction and under a lock of BullMQ's. Only processes that use the
 * queue in PostgreSQL need it, and they need it first: BullMQ's workers do not create it. If it is up to date it only
 * reads, because a role that cannot change the schema may not even execute CREATE … IF NOT EXISTS.
 * @throws StartupError if this role may not change it
 */
export async function migrateQueue(url: string): Promise<void> {
  const client = await connectForMigrations(url);
  try {
    if ((await versionOf(client)) < LATEST_SCHEMA_VERSION) await runMigrations(client);
  } catch (error) {
    if ((error as { code?: string }).code !== PERMISSION_DENIED) throw error;
    throw new StartupError(
      `The schema bullmq of the queue is missing or older than this version needs, and this role may not change it: run ${quizctl('migrate')} without REDIS_URL, then ops/runtime-role.sql, as the role that owns the database, then start again.`,
      { cause: error },
    );
  } finally {
    await client.end();
  }
}

/** PostgreSQL's code. */
const PERMISSION_DENIED = '42501';

const versionOf = (client: Client): Promise<number> =>
  assertSchemaCompatibility(client).catch((error: unknown) => {
    if (error instanceof SchemaMigrationRequiredError) return 0;
    throw error;
  });

/** While the queue is away, a part that has failed fails again within this many milliseconds. */
const RETRIES_WITHIN = 10_000;

/**
 * Whether it is an error about one job: the job has ended meanwhile, or another worker has taken it over. The queue
 * has responded. BullMQ's `isNotConnectionError` does not tell: it knows a refused and a closed connection only.
 */
function isOfJob(error: unknown): boolean {
  const { message, code } = error as { message?: string; code?: unknown };
  return (typeof code === 'number' && code in ErrorCode) || !!message?.startsWith(LOCK_LOST);
}

const LOCK_LOST = 'could not renew lock';

/** What one component knows of the queue. */
export interface QueuePart {
  good: boolean;
  /** Errors about single jobs are ignored. */
  failed(error: unknown): void;
  works(): void;
}

/** Logs once per process that its queue is away, and once that it is back: many connections notice it. */
@Injectable()
export class QueueState {
  /** Parts that failed, and when they last did, in ms since the epoch. */
  private readonly failing = new Map<QueuePart, number>();

  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  /** One component that reports its own queue health. */
  part(): QueuePart {
    const part: QueuePart = {
      good: true,
      failed: (error) => {
        if (isOfJob(error)) return;
        part.good = false;
        this.failed(part, error);
      },
      works: () => {
        part.good = true;
        this.works(part);
      },
    };
    return part;
  }

  private failed(part: QueuePart, error: unknown): void {
    if (this.failing.size === 0) {
      const { message, code } = error as { message?: string; code?: string };
      this.logger.warn(
        `the queue does not respond (${message || code || String(error)}): webhooks and imports wait, nothing is lost`,
      );
    }
    if (!this.failing.has(part)) this.logger.debug({ err: error }, 'the queue does not respond');
    this.failing.set(part, Date.now());
  }

  private works(part: QueuePart): void {
    if (this.failing.size === 0) return;
    this.failing.delete(part);
    // A part that has nothing to do does not notice that its failure is over.
    for (const [other, at] of this.failing)
      if (Date.now() - at > RETRIES_WITHIN) this.failing.delete(other);
    if (this.failing.size === 0) this.logger.info('the queue responds again');
  }
}
