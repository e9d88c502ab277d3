import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');

/** A fenced block of a Markdown file that calls curl. */
export interface ShellExample {
  file: string;
  /** Of its first line. */
  line: number;
  text: string;
  /** The status that each curl in it is to get; without one any 2xx. */
  status: number | null;
  /** The block of JSON or HTTP below it, before the next block of another kind or the next heading. */
  response: string | null;
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
  let unanswered: ShellExample | undefined;
  lines.forEach((line, index) => {
    if (!open && /^#+ /.test(line)) unanswered = undefined;
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
    if (unanswered && /^(json|http)$/.test(info)) unanswered.response = text;
    unanswered = undefined;
    if (!/(^|[\s(|;])curl /m.test(text)) return;
    const [language = '', ...rest] = info.split(' ');
    if (language !== 'sh')
      throw new Error(`${file}:${from} has a curl in a block of the language "${language}"`);
    const status = /\bstatus=(\d{3})\b/.exec(rest.join(' '));
    unanswered = {
      file,
      line: from + 1,
      text,
      status: status ? Number(status[1]) : null,
      response: null,
    };
    examples.push(unanswered);
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
 * reader edits are edited, `export KEY=…` and `API=…`, and the address `http://localhost:3000`. Every curl must get
 * its status, every command must succeed. It runs in a folder of its own: examples save files.
 * @returns the statuses and what curl printed, in order, block by block
 */
export async function runExamples(
  examples: readonly ShellExample[],
  { key, origin, env }: Given,
): Promise<{ statuses: number[][]; printed: string[][]; output: string; code: number | null }> {
  const folder = mkdtempSync(join(tmpdir(), 'examples-'));
  const prints = join(folder, 'prints');
  const script = [
    // Not every sh has pipefail: dash has it since 0.5.13.
    'set -eu; if (set -o pipefail) 2> /dev/null; then set -o pipefail; fi',
    `KEY='${key}' API='${origin}/api/v1'`,
    // The status of each call goes to the error output; what the reader sees stays as it is, and is copied.
    `curl() {
      local result=0 body; body=$(mktemp '${folder}/XXXXXX')
      command curl -w '%{stderr}\\n@status %{http_code}\\n' "$@" > "$body" || result=$?
      cat "$body" >> '${prints}'; echo @call >> '${prints}'; cat "$body"; return $result
    }`,
    // The reader is in the checkout.
    `npm() { (cd '${ROOT}' && command npm "$@"); }`,
    ...examples.flatMap(({ text }) => [
      `echo @block | tee -a '${prints}' >&2`,
      text
        .replace(/^export KEY=.*$/m, '')
        .replace(/^API=.*$/m, '')
        .replaceAll('http://localhost:3000', origin),
    ]),
  ].join('\n');
  // `sh` as the blocks say: where it is dash, it has none of what only bash understands.
  const child = spawn('sh', ['-c', script], {
    cwd: folder,
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
  const blocksOf = (text: string) => text.split('@block\n').slice(1);
  const statuses = blocksOf(noted).map((part) =>
    [...part.matchAll(/@status (\d+)/g)].map(([, status]) => Number(status)),
  );
  const printed = blocksOf(readFileSync(prints, 'utf8')).map((part) => part.split('@call\n'));
  rmSync(folder, { recursive: true });
  return { statuses, printed, output, code };
}

/**
 * Whether a response that a guide shows, in whole or in part, is one that curl printed: its status, the names of its
 * headers, and of JSON the fields and their types, in the body or in its `data`, an item of it or `meta`. Of an error,
 * whose sentences are constant, the values are compared as well.
 */
export function isPrinted(shown: string, printed: readonly string[]): boolean {
  const wanted = parseResponse(shown);
  return printed.map(parseResponse).some(({ status, headers, body }) => {
    const names = [...headers.keys()];
    if (wanted.status && wanted.status !== status) return false;
    if (![...wanted.headers.keys()].every((name) => names.includes(name))) return false;
    const cause = wanted.headers.get('x-error-code');
    if (cause !== undefined && cause !== headers.get('x-error-code')) return false;
    if (wanted.body === undefined) return true;
    const { data, meta } = (body ?? {}) as { data?: unknown; meta?: unknown };
    return [body, data, meta, ...[data].flat()].some((part) => isPartOf(wanted.body, part));
  });
}

function parseResponse(text: string) {
  const [head = '', ...rest] = text.startsWith('HTTP/') ? text.split(/\r?\n\r?\n/) : ['', text];
  const [line = '', ...headers] = head.split(/\r?\n/);
  const body = rest.join('\n').trim();
  return {
    status: line.split(' ')[1],
    headers: new Map(headers.map((each) => [each.split(':', 1)[0]?.toLowerCase(), each])),
    body: /^[[{]/.test(body) ? (JSON.parse(body) as unknown) : undefined,
  };
}

/** A text `…` stands for anything, and null for any value of its field. @param isEqual whether values are compared */
function isPartOf(shown: unknown, actual: unknown, isEqual = false): boolean {
  if (shown === '…' || shown === null || actual === null) return true;
  if (Array.isArray(shown))
    return (
      Array.isArray(actual) &&
      shown.every((it) => it === '…' || actual.some((one) => isPartOf(it, one, isEqual)))
    );
  if (typeof shown !== typeof actual) return false;
  if (typeof shown !== 'object') return !isEqual || shown === actual;
  const fields = new Map(Object.entries(actual as object));
  const isError = isEqual || ('success' in shown && shown.success === false);
  return Object.entries(shown).every(
    ([name, value]) =>
      fields.has(name) && isPartOf(value, fields.get(name), isError || name === 'success'),
  );
}
