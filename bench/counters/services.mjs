import { NestFactory } from '@nestjs/core';
import { CliModule } from '../../dist/cli/cli.module.js';
import { loadConfig } from '../../dist/platform/config/config.js';
import { createLogger, NestLogger } from '../../dist/platform/logger.js';

/** The services as quizctl has them, on DATABASE_URL. */
export async function openServices() {
  const logger = createLogger('error');
  const { DATABASE_URL: databaseUrl, QUIZ_QUOTA_PRO } = process.env;
  const app = await NestFactory.createApplicationContext(
    CliModule.register({ config: loadConfig({ QUIZ_QUOTA_PRO }), logger, databaseUrl }),
    { logger: new NestLogger(logger), abortOnError: false },
  );
  return { of: (service) => app.get(service, { strict: false }), close: () => app.close() };
}
