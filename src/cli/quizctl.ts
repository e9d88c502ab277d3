import { Command, CommanderError } from 'commander';
import { VERSION } from '../platform/config/config';
import { accountsCommand } from './accounts.command';
import { auditCommand } from './audit.command';
import { configCommand, countersCommand, migrateCommand } from './database.command';
import { deliveriesCommand } from './deliveries.command';
import { doctorCommand } from './doctor/doctor.command';
import { exportCommand, importCommand, undoImportCommand } from './import.command';
import { keysCommand } from './keys.command';
import type { Output } from './output';
import { quizzesCommand } from './quizzes.command';
import { seedCommand, setUpLinkCommand } from './set-up.command';
import { webhooksCommand } from './webhooks.command';

export const COMMANDS = [
  accountsCommand,
  keysCommand,
  auditCommand,
  quizzesCommand,
  importCommand,
  undoImportCommand,
  exportCommand,
  webhooksCommand,
  deliveriesCommand,
  migrateCommand,
  seedCommand,
  setUpLinkCommand,
  configCommand,
  countersCommand,
  doctorCommand,
];

const ABOUT_JSON = `With --json a command prints one JSON value and nothing else; audit export and
webhooks listen print one a line, the last of which may say that they failed.`;

/**
 * Runs one command of the operator's tool.
 * @param args the command line after the program's name
 * @returns the exit code: 0 done, 1 failed, 2 invalid usage
 */
export async function runQuizctl(args: string[], output: Output): Promise<number> {
  const program = new Command('quizctl')
    .description('Operates the Quiz Question Service, beside a running one or without one.')
    .usage('<command> [--json]')
    .version(output.json ? JSON.stringify(VERSION) : VERSION, '--version')
    .addHelpText('after', `\n${ABOUT_JSON}`)
    .showHelpAfterError('(add --help for the usage)');
  for (const command of COMMANDS) program.addCommand(command(output));
  prepare(program, output);
  try {
    await program.parseAsync(args, { from: 'user' });
    return output.exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Requested help exits with 0; all other usage errors exit with 2.
    if (error.exitCode === 0) return 0;
    // Commander prints the help where the command is missing.
    const isMissing = error.code === 'commander.help';
    output.usage(
      isMissing
        ? 'The command is missing: --help lists them.'
        : error.message.replace(/^error: /, ''),
    );
    return 2;
  }
}

/** Commands that were created separately do not inherit Commander's settings. */
function prepare(command: Command, output: Output): void {
  command.exitOverride().configureOutput({
    writeOut: (text) => output.stdout.write(text),
    writeErr: (text) => {
      if (!output.json) output.stderr.write(text);
    },
  });
  for (const child of command.commands) prepare(child, output);
}
