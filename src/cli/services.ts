import { AccountsService } from '../access/accounts/accounts.service';
import { AccountAdministrationService } from '../access/administration/account-administration.service';
import { AccountDeletionService } from '../access/administration/account-deletion.service';
import { EmailChangesService } from '../access/administration/email-changes.service';
import { RegistrationService } from '../access/administration/registration.service';
import { ApiKeysService } from '../access/api-keys/api-keys.service';
import { AuditLog } from '../access/audit/audit-log';
import { QuizAuthoringService } from '../authoring/quizzes/quiz-authoring.service';
import { ReviewService } from '../authoring/review/review.service';
import { ReviewQueueService } from '../authoring/review/review-queue.service';
import { CountersService } from '../catalog/discovery/counters.service';
import { ExportsService } from '../import-export/exports/exports.service';
import { ImportUndoService } from '../import-export/imports/import-undo.service';
import { ImportsService } from '../import-export/imports/imports.service';
import { LocalImportsService } from '../import-export/imports/local-imports.service';
import { Config, configFromEnvironment } from '../platform/config/config';
import { createLogger } from '../platform/observability/logger';
import { startContext } from '../platform/process/start-context';
import { SeedService } from '../seed/seed.service';
import { DeliveriesService } from '../webhooks/deliveries/deliveries.service';
import { WorkersService } from '../webhooks/deliveries/workers.service';
import { EndpointSecretsService } from '../webhooks/endpoints/endpoint-secrets.service';
import { EndpointsService } from '../webhooks/endpoints/endpoints.service';
import { SealedSecretsService } from '../webhooks/endpoints/sealed-secrets.service';
import { CliModule } from './cli.module';
import type { Output } from './output';

/** What commands call, by its name there. */
const PROVIDERS = {
  accounts: AccountsService,
  administration: AccountAdministrationService,
  audit: AuditLog,
  config: Config,
  counters: CountersService,
  deletion: AccountDeletionService,
  deliveries: DeliveriesService,
  emailChanges: EmailChangesService,
  endpoints: EndpointsService,
  exports: ExportsService,
  imports: ImportsService,
  importUndo: ImportUndoService,
  keys: ApiKeysService,
  localImports: LocalImportsService,
  quizzes: QuizAuthoringService,
  registration: RegistrationService,
  review: ReviewService,
  reviewQueue: ReviewQueueService,
  sealedSecrets: SealedSecretsService,
  secrets: EndpointSecretsService,
  seed: SeedService,
  workers: WorkersService,
};

export type Services = {
  [Name in keyof typeof PROVIDERS]: InstanceType<(typeof PROVIDERS)[Name]>;
};

/**
 * Calls the services of the modules. The database may be in use by a running service; if nothing runs, an embedded
 * database is started for as long as this takes.
 */
export async function withServices<T>(
  output: Output,
  work: (services: Services) => Promise<T>,
): Promise<T> {
  const { context, stop } = await startContext(
    configFromEnvironment(),
    createLogger('error', output.stderr),
    (parts) => CliModule.register(parts),
    {
      schema: 'require',
      // Interactive use: fail fast if the database is unreachable.
      patience: 3_000,
      onRetry: (reason) => output.note(`Waiting for the database: ${reason}`),
    },
  );
  try {
    const services = Object.entries(PROVIDERS).map(([name, it]) => [name, context.get(it)]);
    return await work(Object.fromEntries(services) as Services);
  } finally {
    await stop();
  }
}
