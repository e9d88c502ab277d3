#!/usr/bin/env node
import '../platform/process/check-node';
import 'reflect-metadata';
import { Output } from '../cli/output';
import { runQuizctl } from '../cli/quizctl';

/** The operator's tool. */
async function main(): Promise<void> {
  // `quizctl … | head` has read enough.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
  // Removed before commander sees it, so that it may stand anywhere.
  const output = new Output(process.argv.includes('--json'));
  const args = process.argv.slice(2).filter((argument) => argument !== '--json');
  process.exitCode = await runQuizctl(args, output);
}

void main();
