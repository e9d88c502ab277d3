import { Argument, Command, InvalidArgumentError } from 'commander';
import { quizctl } from '../platform/config/command-line';
import { environment } from '../platform/config/config';
import { envFile, shownSettings } from '../platform/config/setting-texts';
import { publicUrl as readPublicUrl, SettingError } from '../platform/config/setting-types';
import { command, group, integer } from './command';
import type { Output } from './output';

/** For deployments that migrate in a separate step: a one-shot container, a job before the roll-out. */
export function migrateCommand(output: Output): Command {
  return new Command('migrate')
    .description('migrate the schema of the database; processes may keep running')
    .option('--wait <seconds>', 'how long to wait for the database', integer(0, 9_999), 30)
    .action(({ wait }: { wait: number }) =>
      output.attempt(async () => {
        const { migrate } = await import('./migrate.ts');
        await migrate(output, wait);
      }),
    );
}

export const countersCommand = group('counters', 'check the numbers that totals are read from', [
  command({
    name: 'verify',
    description: 'compare every counter with a count; exits with 1 if one differs',
    async run(services, _given, output) {
      const checks = await services.counters.verify();
      const rows = checks.map(({ counter, rows, wrong }) => ({ counter, rows, wrong }));
      output.list(checks, rows, '');
      const wrong = checks.filter((check) => check.wrong > 0);
      if (wrong.length === 0) return;
      output.exitCode = 1;
      for (const { counter, example } of wrong)
        output.note(
          `${counter}: wrong for ${example?.key}, for example: ${example?.kept} instead of ${example?.counted}.`,
        );
      output.note(`Count again with: ${quizctl('counters rebuild')}`);
    },
  }),

  command({
    name: 'rebuild',
    description: 'recount everything; the service may keep running',
    async run(services, _given, output) {
      await services.counters.rebuild();
      output.result({ rebuilt: true }, 'All counters were rebuilt.');
    },
  }),
]);

function publicUrl(text: string): string {
  try {
    return readPublicUrl(text);
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    throw new InvalidArgumentError(`It ${error.message}, such as https://quiz.example.com.`);
  }
}

/** Settings: those in effect, and a file of new ones. Neither opens a database. */
export function configCommand(output: Output): Command {
  const config = new Command('config').description('show the settings');

  config
    .command('print')
    .description('every setting as it is in force here, secrets hidden')
    .action(() =>
      output.attempt(() => {
        // Refuses what the service would refuse, with the same message.
        const settings = shownSettings(environment());
        const rows = settings.map(({ name, value, source }) => {
          return { setting: name, value, from: source };
        });
        output.list(settings, rows, '');
      }),
    );

  config
    .command('env')
    .description(
      'print an .env file for docker-compose.production.yml, with new passwords and a new key',
    )
    .addArgument(new Argument('<public-url>', 'the URL that people see').argParser(publicUrl))
    .option(
      '--image <image>',
      'the image of a release that docker compose pulls; else it builds one',
    )
    .action((url: string, { image }: { image?: string }) => {
      const text = envFile(url, image);
      output.result({ text }, text.trimEnd());
    });

  return config;
}
