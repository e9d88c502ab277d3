import { Command, InvalidArgumentError } from 'commander';
import { configFromEnvironment } from '../platform/config/environment';
import { openDatabase } from '../platform/database/open-database';
import { migrateQueue } from '../platform/queue/queue-connection';
import type { Output } from './output';

/** For deployments that migrate in a step of its own: a one-shot container, a job before the roll-out. */
export function migrateCommand(output: Output): Command {
  return new Command('migrate')
    .description('bring the schema of the database up to date; running processes may go on')
    .option('--wait <seconds>', 'how long to wait for the database', seconds, 30)
    .action(async ({ wait }: { wait: number }) => {
      try {
        const config = configFromEnvironment();
        const database = await openDatabase(config, {
          patience: wait * 1_000,
          onRetry: (reason) => output.note(`Waiting for the database: ${reason}`),
        });
        try {
          if (!config.redisUrl) await migrateQueue(database.url);
          const { migrations } = database;
          output.result(
            { migrations },
            migrations.length === 0
              ? 'The schema was up to date already.'
              : `The schema is up to date. Migrations that were run: ${migrations.join(', ')}`,
          );
        } finally {
          await database.close();
        }
      } catch (error) {
        output.failure(error);
      }
    });
}

function seconds(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new InvalidArgumentError('It is a whole number of seconds.');
  return Number(text);
}
