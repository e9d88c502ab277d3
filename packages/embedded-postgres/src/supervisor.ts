import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** Starts at most, within {@link WINDOW_MS}, before it is left to people. */
const STARTS = 3;
const WINDOW_MS = 60_000;
const PAUSE_MS = 1_000;

/** What is said of a server that ended by itself. */
export interface SupervisorEvents {
  /** It answers again. */
  onRestart(): void;
  /** It ends again and again, or cannot be started; it is not tried any more. */
  onGivenUp(reason: string): void;
}

/** Starts a server again whenever it ends by itself. */
export class Supervisor {
  private starting: Promise<void> | undefined;
  private stopping = false;
  /** When it was started again, in ms since the epoch. */
  private starts: number[] = [];

  constructor(
    server: ChildProcess,
    private readonly launch: () => Promise<ChildProcess>,
    private readonly events: SupervisorEvents,
  ) {
    this.watch(server);
  }

  /** From now on the server may end. */
  async stop(): Promise<void> {
    this.stopping = true;
    await this.starting;
  }

  private watch(server: ChildProcess): void {
    server.once('exit', () => {
      if (!this.stopping) this.starting = this.startAgain();
    });
  }

  private async startAgain(): Promise<void> {
    let reason = 'it ended again each time';
    const oldest = Date.now() - WINDOW_MS;
    this.starts = this.starts.filter((at) => at > oldest);
    while (!this.stopping) {
      if (this.starts.length === STARTS) {
        this.events.onGivenUp(reason);
        return;
      }
      this.starts.push(Date.now());
      try {
        this.watch(await this.launch());
        this.events.onRestart();
        return;
      } catch (error) {
        reason = (error as Error).message.split('\n')[0] ?? reason;
        await sleep(PAUSE_MS);
      }
    }
  }
}
