import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A fenced block of a Markdown file that calls curl. */
export interface ShellExample {
  file: string;
  /** Of its first line. */
  line: number;
  text: string;
  /** The status that each curl in it is to get; without one any 2xx. */
  status: number | null;
}

/**
 * The shell blocks with curl in them, in order. A curl anywhere else in the file, but in running text, is an
 * error: it would be shown and never tried.
 * @throws Error naming the line
 */
export function shellExamples(path: string, file: string): ShellExample[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  const examples: ShellExample[] = [];
  let open: { info: string; from: number } | null = null;
  lines.forEach((line, index) => {
    const fence = /^\s*```(.*)$/.exec(line);
    if (!fence) {
      if (!open && /^\s*curl /.test(line))
        throw new Error(`${file}:${index + 1} has a curl outside of a block`);
      return;
    }
    if (!open) {
      open = { info: fence[1] ?? '', from: index + 1 };
      return;
    }
    const text = lines.slice(open.from, index).join('\n');
    const { info, from } = open;
    open = null;
    if (!/(^|[\s(|;])curl /m.test(text)) return;
    const [language = '', ...rest] = info.split(' ');
    if (!['sh', 'bash'].includes(language))
      throw new Error(`${file}:${from} has a curl in a block of the language "${language}"`);
    const status = /\bstatus=(\d{3})\b/.exec(rest.join(' '));
    examples.push({ file, line: from + 1, text, status: status ? Number(status[1]) : null });
  });
  return examples;
}

/** What the reader has put into variables, in the place of what the block says. */
export interface Given {
  key: string;
  origin: string;
  env: Record<string, string>;
}

/**
 * Runs blocks in one shell, as a reader would who pastes them one after the other. Only the two lines that a
 * reader edits are edited, `KEY=…` and `API=…`, and the address `http://localhost:3000`. Every curl must get
 * its status, every command must succeed.
 * @returns the statuses in order, block by block
 */
export async function runExamples(
  examples: readonly ShellExample[],
  { key, origin, env }: Given,
): Promise<{ statuses: number[][]; output: string; code: number | null }> {
  const script = [
    'set -euo pipefail',
    `KEY='${key}' API='${origin}/api/v1'`,
    // The status of each call goes to the error output; what the reader sees stays as it is.
    `curl() { command curl -w '%{stderr}\\n@status %{http_code}\\n' "$@"; }`,
    ...examples.flatMap(({ text }) => [
      'echo @block >&2',
      text
        .replace(/^KEY=.*$/m, '')
        .replace(/^API=.*$/m, '')
        .replaceAll('http://localhost:3000', origin),
    ]),
  ].join('\n');
  const child = spawn('bash', ['-c', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  let output = '';
  let noted = '';
  child.stdout?.on('data', (bytes) => (output += String(bytes)));
  child.stderr?.on('data', (bytes) => {
    output += String(bytes);
    noted += String(bytes);
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  const statuses = noted
    .split('@block\n')
    .slice(1)
    .map((part) => [...part.matchAll(/@status (\d+)/g)].map(([, status]) => Number(status)));
  return { statuses, output, code };
}
