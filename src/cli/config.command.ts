import { Command } from 'commander';

import { environment } from '../platform/config/environment';
import { envExample, shownSettings } from '../platform/config/setting-texts';
import type { Output } from './output';

/** Settings: those in effect, and all that exist. Neither opens a database. */
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
    .command('example')
    .description('an .env file to fill in, for docker compose')
    .action(() => {
      const text = envExample();
      output.result({ text }, text.trimEnd());
    });

  return config;
}
