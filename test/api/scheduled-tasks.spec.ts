import { getQueueToken } from '@nestjs/bullmq';
import { type INestApplicationContext, Injectable, type OnModuleInit } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Queue } from 'bullmq';
import { type Config, loadConfig } from '../../src/platform/config/config';
import { createLogger, NestLogger } from '../../src/platform/observability/logger';
import { PlatformModule } from '../../src/platform/platform.module';
import { JOB_OPTIONS } from '../../src/platform/queue/job-options';
import { migrateQueue } from '../../src/platform/queue/migrate-queue';
import { QueueModule } from '../../src/platform/queue/queue.module';
import { SCHEDULED_TASKS } from '../../src/platform/queue/queue-names';
import { Scheduled } from '../../src/platform/queue/scheduled';
import { ScheduledTasksModule } from '../../src/platform/queue/scheduled-tasks.module';
import { ScheduledTasks } from '../../src/platform/queue/scheduled-tasks.processor';
import { eventually } from '../support/clock';
import { cloneDatabase, type TestDatabase } from '../support/database';
import { onBothQueues } from '../support/queues';

const HOUR = 3_600_000;
const TASK = 'a task of each hour';

let runs = 0;

@Injectable()
class Task {
  @Scheduled({ name: TASK, every: HOUR })
  run(): Promise<void> {
    runs++;
    return Promise.resolve();
  }
}

/** Other providers of a worker wait for the database while they start: for as long as it takes to fetch a job. */
@Injectable()
class SlowStart implements OnModuleInit {
  onModuleInit(): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

onBothQueues(7, (env) => {
  let database: TestDatabase;
  let config: Config;
  let worker: INestApplicationContext | undefined;
  beforeAll(async () => {
    database = await cloneDatabase();
    config = loadConfig(env);
    if (!config.redisUrl) await migrateQueue(database.url);
  });
  beforeEach(() => (runs = 0));
  afterEach(() => stop());
  afterAll(() => database.drop());

  async function start(...providers: (new () => unknown)[]): Promise<Queue> {
    const parts = { config, logger: createLogger('fatal'), databaseUrl: database.url };
    worker = await NestFactory.createApplicationContext(
      {
        module: class SomeTasks {},
        imports: [
          PlatformModule.register(parts),
          QueueModule.register(config, database.url),
          ScheduledTasksModule,
        ],
        providers,
      },
      { logger: new NestLogger(parts.logger), abortOnError: false },
    );
    return worker.get<Queue>(getQueueToken(SCHEDULED_TASKS), { strict: false });
  }

  async function stop(): Promise<void> {
    await worker?.close();
    worker = undefined;
  }

  const schedulers = async (queue: Queue) => (await queue.getJobSchedulers()).map(({ key }) => key);

  it('a task that came due while no worker ran is run by one that starts slowly', async () => {
    const queue = await start(Task);
    await eventually(() => expect(runs).toBe(1));
    await eventually(async () => expect(await queue.getDelayedCount()).toBe(1));
    await worker?.get(ScheduledTasks, { strict: false }).worker.pause();
    await queue.promoteJobs();
    await stop();

    await start(Task, SlowStart);
    await eventually(() => expect(runs).toBe(2));
  });

  it('the scheduler of a task that no longer exists is removed when its next job runs', async () => {
    const queue = await start(Task);
    const name = 'a task of an older version';
    await queue.upsertJobScheduler(name, { every: HOUR }, { name, opts: JOB_OPTIONS });
    await eventually(async () => {
      expect(await schedulers(queue)).toEqual([TASK]);
      expect((await queue.getJobs()).map((job) => job.name)).toEqual([TASK]);
    });
  });
});
