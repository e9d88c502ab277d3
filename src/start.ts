import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { AccessModule } from './access/access.module';
import { SetUpService } from './access/set-up.service';
import { Banner } from './start-banner';
import { ServiceProcess } from './start-process';
import type { Config } from './platform/config/config';
import { openDatabase } from './platform/database/open-database';
import { NestLogger, type Logger } from './platform/logger';
import { PlatformModule } from './platform/platform.module';
import { runProcess, type RunningProcess } from './platform/process';
import { DemoAccountService } from './starter/demo-account.service';
import { StarterModule } from './starter/starter.module';
import { StarterService } from './starter/starter.service';

/**
 * The whole service on one machine, `npm start`: the database, something to look at in it, the API and the
 * webhook worker as processes of their own. Production runs `start:api` and `start:worker` instead.
 */
async function start(config: Config, logger: Logger): Promise<RunningProcess> {
  const database = await openDatabase(config, {
    onRetry: (reason) => logger.warn(`waiting for the database: ${reason}`),
  });
  const processes: ServiceProcess[] = [];
  const stop = async () => {
    // First those that use the database, then the database.
    await Promise.all(processes.map((it) => it.stop()));
    await database.close();
  };
  try {
    const content = await prepareContent(config, logger, database.url);
    const api = new ServiceProcess('main.js', logger);
    // Two processes cannot have the same port.
    const { metricsPort } = config;
    const apart: Record<string, string> = metricsPort
      ? { METRICS_PORT: String(metricsPort + 1) }
      : {};
    const worker = new ServiceProcess('worker.js', logger, apart);
    processes.push(api, worker);
    const [{ port }] = await Promise.all([api.started, worker.started]);
    const banner = new Banner(config, database, port ?? config.port, content);
    return { stop, announce: () => banner.print(process.stdout) };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The starter catalogue in an empty database, the link for its first administrator and, outside production, the demo key. */
async function prepareContent(config: Config, logger: Logger, databaseUrl: string) {
  const context = await NestFactory.createApplicationContext(
    {
      module: class StartModule {},
      imports: [
        PlatformModule.register({ config, logger, databaseUrl }),
        AccessModule,
        StarterModule,
      ],
    },
    { logger: new NestLogger(logger), abortOnError: false },
  );
  try {
    return {
      added: await context.get(StarterService).fill(),
      demoKey: config.production ? null : await context.get(DemoAccountService).key(),
      setUpToken: await context.get(SetUpService).newToken(),
    };
  } finally {
    await context.close();
  }
}

runProcess('service', start);
