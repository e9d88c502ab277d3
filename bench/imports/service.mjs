// The service's own path: the transaction of POST /quizzes/{id}/questions/batch, after the validation.
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { BatchImportService } from '../../dist/authoring/batch-import.service.js';
import { CliModule } from '../../dist/cli/cli.module.js';
import { loadConfig } from '../../dist/platform/config/config.js';
import { createLogger, NestLogger } from '../../dist/platform/logger.js';
import { serve } from './importer.mjs';

await serve(async (databaseUrl) => {
  const logger = createLogger('error');
  const app = await NestFactory.createApplicationContext(
    CliModule.register({ config: loadConfig({}), logger, databaseUrl }),
    { logger: new NestLogger(logger), abortOnError: false },
  );
  const imports = app.get(BatchImportService, { strict: false });
  return (quizId, questions) => imports.import(process.env.OWNER_ID, quizId, questions);
});
