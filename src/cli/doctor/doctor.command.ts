import { Command } from 'commander';
import type { Output } from '../output';
import type { DoctorFinding } from './findings';

const MARKS: Record<DoctorFinding['state'], string> = {
  good: 'good   ',
  warning: 'WARNING',
  error: 'ERROR  ',
};

/** Exit codes of its own: a monitor must be able to tell warnings from errors. */
export function doctorCommand(output: Output): Command {
  return new Command('doctor')
    .description('look at settings, database, queue, clock, migrations, disk, worker and keys')
    .addHelpText('after', '\nExit codes: 0 all is well, 1 a warning, 2 an error.')
    .action(async () => {
      try {
        const { examine } = await import('./examine.ts');
        const findings = await examine();
        const has = (state: DoctorFinding['state']) => findings.some((it) => it.state === state);
        const status = has('error') ? 'error' : has('warning') ? 'warning' : 'good';
        output.exitCode = { good: 0, warning: 1, error: 2 }[status];
        output.result({ status, findings }, findings.map(line).join('\n'));
      } catch (error) {
        output.failure(error);
        output.exitCode = 2;
      }
    });
}

const line = ({ check, state, message }: DoctorFinding) =>
  `${MARKS[state]}  ${check.padEnd(11)}  ${message}`;
