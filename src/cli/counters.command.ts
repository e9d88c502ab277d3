import { Command } from 'commander';
import { CountersService, type CounterCheck } from '../catalog/offset-index/counters.service';
import type { Output, Row } from './output';
import { withServices } from './services';

export function countersCommand(output: Output): Command {
  const counters = new Command('counters').description(
    'check the numbers that totals are read from',
  );

  counters
    .command('verify')
    .description('hold every counter against a count; ends with 1 where one differs')
    .action(() =>
      withServices(output, async (services) => {
        const checks = await services.get(CountersService).verify();
        output.list(checks, checks.map(toRow), '');
        const wrong = checks.filter((check) => check.wrong > 0);
        if (wrong.length === 0) return;
        process.exitCode = 1;
        for (const { counter, example } of wrong)
          output.note(
            `${counter} is wrong, for one at "${example?.key}": ${example?.kept}, not ${example?.counted}.`,
          );
        output.note('Count anew with: quizctl counters rebuild');
      }),
    );

  counters
    .command('rebuild')
    .description('count everything anew; the service may go on meanwhile')
    .action(() =>
      withServices(output, async (services) => {
        await services.get(CountersService).rebuild();
        output.result({ rebuilt: true }, 'All counters were counted anew.');
      }),
    );

  return counters;
}

const toRow = ({ counter, rows, wrong }: CounterCheck): Row => ({ counter, rows, wrong });
