// The service's own path: the transaction of POST /quizzes/{id}/questions/batch, after the validation.
import { BatchImportService } from '../../dist/authoring/questions/batch-import.service.js';
import { openServices } from '../support/services.mjs';
import { serve } from './importer.mjs';

await serve(async (databaseUrl) => {
  const imports = (await openServices(databaseUrl)).of(BatchImportService);
  return (quizId, questions) => imports.import(process.env.OWNER_ID, quizId, questions);
});
