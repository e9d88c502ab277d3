import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Output } from '../../src/cli/output';
import { runQuizctl } from '../../src/cli/quizctl';

export interface QuizctlRun {
  code: number | null;
  out: string;
  err: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- whatever the tool prints
  json: any;
}

/**
 * Runs a command of quizctl in this process, which has loaded its modules already: a process of its own takes more than a
 * second for that. The tool is tested as a process in `quizctl.spec.ts` and `start.spec.ts`.
 * @param env settings beside those of this process
 */
export async function quizctlIn(
  env: Record<string, string>,
  ...args: string[]
): Promise<QuizctlRun> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const [out, err] = [text(stdout), text(stderr)];
  const output = new Output(args.includes('--json'), stdout, stderr);
  const before = { ...process.env };
  Object.assign(process.env, env);
  let code: number;
  try {
    code = await runQuizctl(
      args.filter((it) => it !== '--json'),
      output,
    );
  } finally {
    for (const name of Object.keys(env)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
    stdout.end();
    stderr.end();
  }
  return { code, out: await out, err: await err, json: parsed(await out) };
}

/** The same with what is piped into it. */
export async function quizctlReading(
  input: string,
  ...run: Parameters<typeof quizctlIn>
): Promise<QuizctlRun> {
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin')!;
  Object.defineProperty(process, 'stdin', { configurable: true, value: Readable.from([input]) });
  try {
    return await quizctlIn(...run);
  } finally {
    Object.defineProperty(process, 'stdin', stdin);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
