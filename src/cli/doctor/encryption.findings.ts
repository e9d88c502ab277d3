import type { DataSource } from 'typeorm';
import { quizctl } from '../../platform/config/command-line';
import type { Config } from '../../platform/config/config';
import { hasEncryptionKey } from '../../platform/encryption-key';
import {
  sealedSecretsError,
  SealedSecretsService,
} from '../../webhooks/endpoints/sealed-secrets.service';
import { type DoctorFinding, failure, good, warning } from './findings';

/** Whether the secrets were encrypted with ENCRYPTION_KEY. */
export async function secretsFinding(database: DataSource, config: Config): Promise<DoctorFinding> {
  // The doctor changes nothing: it makes no key, as a start does.
  if (!hasEncryptionKey(config)) return missingKeyFinding(database, config);
  const secrets = await SealedSecretsService.on(database, config).check(
    // No secret may be overlooked before its key is removed.
    config.encryptionKeys.length > 1 ? null : undefined,
  );
  const wrong = sealedSecretsError(secrets);
  if (wrong) return failure('encryption', wrong);
  if (secrets.old > 0)
    return warning(
      'encryption',
      `${secrets.old} of ${secrets.total} webhook secrets can only be decrypted with the second ENCRYPTION_KEY. Run: ${quizctl('webhooks reseal')}`,
    );
  if (config.encryptionKeys.length > 1)
    return good(
      'encryption',
      'The first ENCRYPTION_KEY opens all webhook secrets: remove the second one.',
    );
  return good(
    'encryption',
    secrets.total === 0
      ? 'There is a key for webhook secrets, and no secret yet.'
      : `ENCRYPTION_KEY decrypts the webhook secrets (${secrets.total} were checked).`,
  );
}

async function missingKeyFinding(database: DataSource, config: Config): Promise<DoctorFinding> {
  // Only the number of secrets matters: this key is not stored and decrypts none.
  const any = { ...config, encryptionKeys: [Buffer.alloc(32)] };
  const { total } = await SealedSecretsService.on(database, any).check(1);
  return total === 0
    ? good('encryption', `There is no key yet: the first start makes one in ${config.dataDir}.`)
    : failure(
        'encryption',
        `ENCRYPTION_KEY is not set, and ${config.dataDir} holds no key that decrypts the webhook secrets. Set ENCRYPTION_KEY (or DATA_DIR) as the service has it.`,
      );
}
