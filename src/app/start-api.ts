import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { RegistrationService } from '../access/administration/registration.service';
import { quizctl } from '../platform/config/command-line';
import type { Config } from '../platform/config/config';
import { openDatabase } from '../platform/database/open-database';
import { encryptionKeysOf } from '../platform/encryption-key';
import { ApiAdapter } from '../platform/http/server/api-adapter';
import { drainable } from '../platform/http/server/graceful-stop';
import { type Logger, NestLogger } from '../platform/observability/logger';
import { stopAfterFailure } from '../platform/process/failed-start';
import type { RunningProcess } from '../platform/process/process';
import { AppModule } from './app.module';
import { API_OPTIONS, configure } from './configure';

/** Opens the database, then the port. */
export async function startApi(
  config: Config,
  logger: Logger,
  signal: AbortSignal,
): Promise<RunningProcess> {
  // Checked before anything is opened: the API does not start without the key that encrypts webhook secrets.
  encryptionKeysOf(config);
  const database = await openDatabase(config, {
    onRetry: (reason) => logger.warn(`waiting for the database: ${reason}`),
    signal,
    share: true,
  });
  let app: NestExpressApplication | undefined;
  let drain: (() => Promise<void>) | undefined;
  const stop = async () => {
    try {
      await drain?.();
      await app?.close();
    } finally {
      await database.close();
    }
  };
  try {
    app = await NestFactory.create<NestExpressApplication>(
      AppModule.register({ config, logger, databaseUrl: database.url }),
      new ApiAdapter(),
      {
        ...API_OPTIONS,
        logger: new NestLogger(logger),
        forceCloseConnections: false,
      },
    );
    configure(app);
    drain = drainable(app.getHttpServer());
    await app.init();
    if (await app.get(RegistrationService, { strict: false }).isEmpty()) logger.info(NO_ACCOUNT);
    await listen(app.getHttpServer(), config.port);
  } catch (error) {
    await stopAfterFailure(stop, logger);
    throw error;
  }
  const { port } = app.getHttpServer().address() as AddressInfo;
  logger.info({ port, database: database.kind }, `the API listens on http://localhost:${port}`);
  return { stop, ready: { port } };
}

/** `npm start` prints the link itself. */
const NO_ACCOUNT = `There is no account yet. To print a one-time link that creates the first administrator: ${quizctl('set-up-link')}`;

/** Not Nest's `listen`, which logs the error of a taken port in addition to our message. */
async function listen(server: Server, port: number): Promise<void> {
  server.listen(port);
  await once(server, 'listening');
}
