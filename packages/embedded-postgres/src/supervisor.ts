import { setTimeout as sleep } from 'node:timers/promises';
import {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
} from './embedded-postgres';

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

/** A server that is started again, on its port, whenever it ends by itself: pools then find it where it was. */
export class Supervisor {
  private current: EmbeddedPostgres;
  private starting: Promise<void> | undefined;
  private leaving = false;
  /** When it was started again, in ms since the epoch. */
  private starts: number[] = [];

  constructor(
    first: EmbeddedPostgres,
    private readonly options: EmbeddedPostgresOptions,
    private readonly events: SupervisorEvents,
  ) {
    this.current = first;
    this.watch();
  }

  /** Lets go of it, as `EmbeddedPostgres.release` does. */
  async release(): Promise<void> {
    this.leaving = true;
    await this.starting;
    await this.current.release();
  }

  private watch(): void {
    void this.current.lost.then(() => {
      if (!this.leaving) this.starting = this.startAgain();
    });
  }

  private async startAgain(): Promise<void> {
    const port = Number(new URL(this.current.url).port);
    let reason = 'it ended again each time';
    const oldest = Date.now() - WINDOW_MS;
    this.starts = this.starts.filter((at) => at > oldest);
    while (!this.leaving) {
      if (this.starts.length === STARTS) {
        this.events.onGivenUp(reason);
        return;
      }
      this.starts.push(Date.now());
      try {
        this.current = await startEmbeddedPostgres({ ...this.options, port });
        this.events.onRestart();
        this.watch();
        return;
      } catch (error) {
        reason = (error as Error).message.split('\n')[0] ?? reason;
        await sleep(PAUSE_MS);
      }
    }
  }
}
