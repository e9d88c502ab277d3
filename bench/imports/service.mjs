// The service's own path: the transaction of POST /quizzes/{id}/questions/batch, after the validation.
import { BatchImportService } from '../../dist/authoring/questions/batch-import.service.js';
import { openServices } from '../support/services.mjs';
import { serve } from './importer.mjs';

await serve(async (databaseUrl) => {
  const imports = (await openServices(databaseUrl)).of(BatchImportService);
  const owner = { accountId: process.env.OWNER_ID };
  return (quizId, questions) => imports.import(owner, quizId, questions);
});
