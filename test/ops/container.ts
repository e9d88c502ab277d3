import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { atTheEnd } from '../faults/harness/cleanup';
import { hold, until } from '../faults/harness/until';
import type { Stage } from './dockerfile';

/** Runs commands in a built stage as a container would: that folder, that environment and no other, not root. */
export class Container {
  private child: ChildProcess | undefined;

  constructor(
    private readonly stage: Stage,
    private readonly environment: Record<string, string>,
    private readonly log: string,
  ) {}

  /** To its end. @returns what it wrote to stdout. @throws Error unless it ends with the code */
  run(command: string[], code = 0): string {
    const [program = '', ...args] = command;
    const { status, stdout, stderr } = spawnSync(program, args, {
      ...this.options(),
      encoding: 'utf8',
    });
    hold(status === code, `${command.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
    return stdout + (code === 0 ? '' : stderr);
  }

  start(command: string[]): void {
    const [program = '', ...args] = command;
    const output = openSync(this.log, 'a');
    const child = spawn(program, args, { ...this.options(), stdio: ['ignore', output, output] });
    closeSync(output);
    child.once(
      'exit',
      atTheEnd(() => child.kill('SIGKILL')),
    );
    this.child = child;
  }

  /** Until its HEALTHCHECK says so. */
  async healthy(healthcheck: string[]): Promise<void> {
    await until(
      `a healthy ${healthcheck.join(' ')}, see ${this.log}`,
      () => {
        hold(this.child?.exitCode === null, `it ended with ${this.child?.exitCode}`);
        return this.run(healthcheck);
      },
      60_000,
      500,
    );
  }

  /** As `docker compose stop` does it. @returns the exit code */
  async stop(): Promise<number | null> {
    const { child } = this;
    if (!child || child.exitCode !== null) return child?.exitCode ?? null;
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    return ended;
  }

  private options() {
    const { root, workdir, env, user } = this.stage;
    hold(user !== 'root', 'the image runs as root');
    return {
      cwd: join(root, workdir),
      env: { PATH: process.env.PATH, ...env, ...this.environment },
      // Nobody: the files belong to who built them, and are not to be written by who runs them.
      ...(process.getuid?.() === 0 && { uid: 65_534, gid: 65_534 }),
    };
  }
}
