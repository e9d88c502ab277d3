import { BullModule } from '@nestjs/bullmq';
import { type DynamicModule, Module } from '@nestjs/common';
import type { Config } from '../config/config';
import { queueOptions } from './queue-options';
import { QueueState } from './queue-state';

/**
 * Where BullMQ keeps its jobs: in Redis with REDIS_URL, else in the schema `bullmq` of the database
 * (created by `migrateQueue`). Every queue and processor of the process uses it.
 */
@Module({})
export class QueueModule {
  static register(config: Config, databaseUrl: string): DynamicModule {
    return {
      module: QueueModule,
      global: true,
      imports: [BullModule.forRoot(queueOptions(config, databaseUrl))],
      providers: [QueueState],
      exports: [QueueState],
    };
  }
}
