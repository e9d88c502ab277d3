import { type DynamicModule, Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { Clock, DatabaseClock } from './clock';
import { Config } from './config/config';
import { ContentChanges } from './database/content-changes';
import { databaseOptions, RetryingDataSource } from './database/data-source';
import { DatabaseMetrics } from './database/database-metrics';
import { ReadYourWrites } from './database/read-your-writes';
import { ReplicaRouter, Replicas } from './database/replicas';
import { ReservedConnection } from './database/reserved-connection';
import { Refusals } from './hardening/refusals';
import { ErrorFilter } from './http/server/error-filter';
import { Mailer } from './mail/mailer';
import { LOGGER, type Logger } from './observability/logger';
import { Metrics } from './observability/metrics';

/** The parts that every process of the service is built from. */
export interface PlatformParts {
  config: Config;
  logger: Logger;
  databaseUrl: string;
}

/** Providers for every module: settings, logger, metrics, clock, database, mailer and error filter. */
@Global()
@Module({})
export class PlatformModule {
  static register(parts: PlatformParts): DynamicModule {
    return {
      module: PlatformModule,
      imports: [
        TypeOrmModule.forRootAsync({
          useFactory: () => databaseOptions(parts.databaseUrl, parts.logger),
          dataSourceFactory: (options) =>
            new RetryingDataSource(options as DataSourceOptions).initialize(),
        }),
      ],
      providers: [
        {
          provide: Clock,
          inject: [DataSource],
          useFactory: (database: DataSource) => DatabaseClock.start(database, parts.logger),
        },
        Metrics,
        DatabaseMetrics,
        ErrorFilter,
        Refusals,
        { provide: Config, useValue: parts.config },
        { provide: LOGGER, useValue: parts.logger },
        Mailer,
        ContentChanges,
        ReservedConnection,
        Replicas,
        ReadYourWrites,
        ReplicaRouter,
      ],
      exports: [
        Clock,
        Config,
        ContentChanges,
        ErrorFilter,
        LOGGER,
        Mailer,
        Metrics,
        ReadYourWrites,
        Refusals,
        ReplicaRouter,
        ReservedConnection,
      ],
    };
  }
}
