import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { CliModule } from '../../dist/cli/cli.module.js';
import { loadConfig } from '../../dist/platform/config/config.js';
import { createLogger, NestLogger } from '../../dist/platform/observability/logger.js';

/**
 * The service's own parts, as quizctl has them.
 * @param env its settings
 */
export async function openServices(databaseUrl, env = {}) {
  const logger = createLogger('error');
  const app = await NestFactory.createApplicationContext(
    CliModule.register({ config: loadConfig(env), logger, databaseUrl }),
    { logger: new NestLogger(logger), abortOnError: false },
  );
  return { of: (service) => app.get(service, { strict: false }), close: () => app.close() };
}
