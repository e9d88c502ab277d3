#!/usr/bin/env node
import '../platform/process/check-node';
import 'reflect-metadata';
import { Command, CommanderError } from 'commander';
import { accountsCommand, auditCommand, keysCommand } from '../cli/accounts.command';
import { configCommand, countersCommand, migrateCommand } from '../cli/database.command';
import { deliveriesCommand } from '../cli/deliveries.command';
import { doctorCommand } from '../cli/doctor/doctor.command';
import { exportCommand, importCommand, undoImportCommand } from '../cli/import.command';
import { Output } from '../cli/output';
import { quizzesCommand } from '../cli/quizzes.command';
import { seedCommand, setUpLinkCommand } from '../cli/set-up.command';
import { webhooksCommand } from '../cli/webhooks.command';
import { VERSION } from '../platform/config/config';
import { endStart } from '../platform/process/small-heap';

/** The operator's tool. Exit codes: 0 done, 1 failed, 2 invalid usage. */
async function main(): Promise<void> {
  endStart();
  // Removed before commander sees it, so that it may stand anywhere.
  const output = new Output(process.argv.includes('--json'));
  const program = new Command('quizctl')
    .description('Operates the Quiz Question Service, beside a running one or without one.')
    .usage('<command> [--json]')
    .version(output.json ? JSON.stringify(VERSION) : VERSION, '--version')
    .addHelpText('after', '\nWith --json every command prints one JSON value and nothing else.')
    .showHelpAfterError('(add --help for the usage)');
  for (const command of [
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
  ])
    program.addCommand(command(output));
  prepare(program, output);
  try {
    await program.parseAsync(process.argv.filter((argument) => argument !== '--json'));
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Requested help exits with 0; all other usage errors exit with 2.
    process.exitCode = error.exitCode === 0 ? 0 : 2;
    if (process.exitCode !== 2) return;
    // Commander prints the help where the command is missing.
    const isMissing = error.code === 'commander.help';
    output.usage(
      isMissing
        ? 'The command is missing: --help lists them.'
        : error.message.replace(/^error: /, ''),
    );
  }
}

/** Commands that were created separately do not inherit Commander's settings. */
function prepare(command: Command, output: Output): void {
  command.exitOverride().configureOutput({
    writeErr: (text) => {
      if (!output.json) process.stderr.write(text);
    },
  });
  for (const child of command.commands) prepare(child, output);
}

void main();
