import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ROOT } from '../faults/harness/service-process';

/** One instruction of a Dockerfile. */
interface Instruction {
  name: string;
  rest: string;
}

/** What a stage was made to be, in a folder that plays its file system. */
export interface Stage {
  name: string;
  root: string;
  workdir: string;
  env: Record<string, string>;
  user: string;
  command: string[];
  healthcheck: string[];
}

/** Tells each step as it is done: the caller counts and shows. @throws what the step threw */
export type Step = (name: string, work: () => void) => void;

const KNOWN = /^(FROM|LABEL|WORKDIR|ENV|COPY|RUN|USER|EXPOSE|HEALTHCHECK|CMD) (.+)$/;

/** @throws Error at an instruction that `build` could not play */
function read(file: string): Instruction[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', rest = ''] = KNOWN.exec(line) ?? [];
      if (!name || line.endsWith('\\'))
        throw new Error(
          `The reader of test/ops does not know this line of the Dockerfile: ${line}`,
        );
      return { name, rest };
    });
}

/**
 * Does what the Dockerfile says without Docker: every stage in a folder of its own, out of what git knows of this
 * repository and .dockerignore lets through. What it cannot show is that the images named by FROM are right.
 * @returns the last stage
 */
export function build(work: string, step: Step): Stage {
  const context = join(work, 'context');
  step('the build context: what git knows and .dockerignore lets through', () =>
    copyContext(context),
  );
  const stages: Stage[] = [];
  for (const { name, rest } of read(join(ROOT, 'Dockerfile'))) {
    if (name === 'FROM') stages.push(newStage(work, rest));
    const stage = stages.at(-1);
    if (!stage) throw new Error('The Dockerfile does not begin with FROM.');
    play({ name, rest }, stage, stages, context, step);
  }
  return stages.at(-1) as Stage;
}

function newStage(work: string, rest: string): Stage {
  const [, image = '', name = 'last'] = /^(\S+)(?: AS (\S+))?$/.exec(rest) ?? [];
  if (!/^node:\d+\.\d+\.\d+-/.test(image))
    throw new Error(`FROM ${image} is not pinned to a version.`);
  const root = join(work, name);
  mkdirSync(root);
  return { name, root, workdir: '/', env: {}, user: 'root', command: [], healthcheck: [] };
}

function play(
  { name, rest }: Instruction,
  stage: Stage,
  stages: Stage[],
  context: string,
  step: Step,
): void {
  if (name === 'WORKDIR') {
    stage.workdir = rest;
    mkdirSync(join(stage.root, rest), { recursive: true });
  } else if (name === 'ENV') {
    const [key = '', ...value] = rest.split('=');
    stage.env[key] = value.join('=');
  } else if (name === 'USER') stage.user = rest;
  else if (name === 'CMD') stage.command = JSON.parse(rest) as string[];
  else if (name === 'HEALTHCHECK')
    stage.healthcheck = JSON.parse(rest.split(' CMD ')[1] ?? '') as string[];
  else if (name === 'COPY') copy(rest, stage, stages, context);
  else if (name === 'RUN') step(`${stage.name}: RUN ${rest}`, () => run(rest, stage));
}

function copy(rest: string, stage: Stage, stages: Stage[], context: string): void {
  const [, from, paths = ''] = /^(?:--from=(\S+) )?(.+)$/.exec(rest) ?? [];
  const root = from ? stages.find((it) => it.name === from)?.root : context;
  if (root === undefined) throw new Error(`COPY ${rest}: there is no such stage`);
  const sources = paths.split(' ');
  const target = sources.pop() ?? '';
  const place = join(stage.root, target.startsWith('/') ? '' : stage.workdir, target);
  for (const source of sources) {
    const path = join(root, source);
    const into =
      target.endsWith('/') && statSync(path).isFile() ? join(place, basename(path)) : place;
    mkdirSync(dirname(into), { recursive: true });
    cpSync(path, into, { recursive: true, verbatimSymlinks: true });
  }
}

function run(command: string, { root, workdir, env }: Stage): void {
  const { status, stdout, stderr } = spawnSync('sh', ['-ec', command], {
    cwd: join(root, workdir),
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    encoding: 'utf8',
  });
  if (status !== 0)
    throw new Error(`${command} ended with ${status}:\n${stdout}${stderr}`.slice(-4_000));
}

function copyContext(context: string): void {
  const { stdout } = spawnSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    {
      cwd: ROOT,
      encoding: 'utf8',
      maxBuffer: 1e8,
    },
  );
  const lines = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
  if (!lines.includes('*'))
    throw new Error('.dockerignore must begin by keeping everything out (*).');
  const allowed = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
  for (const file of stdout.split('\0').filter(Boolean)) {
    if (!allowed.some((it) => file === it || file.startsWith(`${it}/`))) continue;
    mkdirSync(dirname(join(context, file)), { recursive: true });
    cpSync(join(ROOT, file), join(context, file));
  }
}
