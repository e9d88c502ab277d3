import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { integer } from './command';
import { Output } from './output';
import { COMMANDS } from './quizctl';

const pathsOf = (command: Command, group = ''): string[] => {
  const path = `${group}${command.name()}`;
  return command.commands.length === 0
    ? [path]
    : command.commands.flatMap((child) => pathsOf(child, `${path} `));
};

test('docs/operations.md lists every command of quizctl', () => {
  const guide = readFileSync(join(__dirname, '../../docs/operations.md'), 'utf8');
  const [, list = ''] = /## quizctl[^]*?```\n([^]*?)```/.exec(guide) ?? [];
  const paths = COMMANDS.flatMap((command) => pathsOf(command(new Output(false))));
  expect(paths.length).toBeGreaterThan(30);
  // At the beginning of a line, or two spaces after another command: `export` is not in `audit export`.
  const isListed = (path: string) => new RegExp(`(?:^| {2})${path}(?=\\s|$)`, 'm').test(list);
  expect(paths.filter((path) => !isListed(path))).toEqual([]);
});

test.each(['1.5', '-1', '0', '201', 'ten', ''])('an option from 1 to 200 refuses %j', (text) => {
  expect(() => integer(1, 200)(text)).toThrow('It must be an integer from 1 to 200.');
});
