#!/usr/bin/env node
import '../platform/process/check-node';
import 'reflect-metadata';
import { Output } from '../cli/output';
import { runQuizctl } from '../cli/quizctl';
import { explain } from '../platform/process/explain';

/** The operator's tool. */
async function main(): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // `quizctl … | head` has read enough.
    if (error.code === 'EPIPE') process.exit(0);
    process.stderr.write(`${explain(error)}\n`);
    process.exit(1);
  });
  // Whether anybody reads the messages changes neither what a command does nor its exit code.
  process.stderr.on('error', () => undefined);
  // Removed before commander sees it, so that it may stand anywhere.
  const output = new Output(process.argv.includes('--json'));
  const args = process.argv.slice(2).filter((argument) => argument !== '--json');
  process.exitCode = await runQuizctl(args, output);
}

void main();
