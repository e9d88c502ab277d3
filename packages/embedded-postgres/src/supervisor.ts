import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** Restarts within {@link WINDOW_MS} before it gives up. */
const RESTARTS = 3;
const WINDOW_MS = 60_000;
const PAUSE_MS = 1_000;

/** Callbacks about a server that exits unexpectedly. They must not throw: an error of theirs ends the process. */
export interface SupervisorEvents {
  /** The server accepts connections again. */
  onRestart(): void;
  /** The server keeps exiting or cannot be started; it is not restarted any more. */
  onGivenUp(reason: string): void;
}

/** Restarts a server whenever it exits unexpectedly. */
export class Supervisor {
  private restarting: Promise<void> | undefined;
  private readonly stopping = new AbortController();
  /** When it was restarted, in ms since the epoch. */
  private restarts: number[] = [];

  constructor(
    server: ChildProcess,
    /** Rejects soon after the signal is aborted, and leaves no server behind then. */
    private readonly launch: (signal: AbortSignal) => Promise<ChildProcess>,
    private readonly events: SupervisorEvents,
  ) {
    this.watch(server);
  }

  /** Stops supervising, and a launch under way: the server may exit from now on. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.restarting;
  }

  private watch(server: ChildProcess): void {
    const onExit = () => {
      if (!this.stopping.signal.aborted) this.restarting = this.restart();
    };
    // It may have exited since it was ready: then `exit` is not emitted again.
    if (server.exitCode !== null || server.signalCode !== null) onExit();
    else server.once('exit', onExit);
  }

  private async restart(): Promise<void> {
    let reason = 'it ended again each time';
    const oldest = Date.now() - WINDOW_MS;
    this.restarts = this.restarts.filter((at) => at > oldest);
    const { signal } = this.stopping;
    while (!signal.aborted) {
      if (this.restarts.length === RESTARTS) {
        this.events.onGivenUp(reason);
        return;
      }
      this.restarts.push(Date.now());
      let server: ChildProcess;
      try {
        server = await this.launch(signal);
      } catch (error) {
        if (signal.aborted) return;
        reason = (error as Error).message.split('\n')[0] ?? reason;
        await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined);
        continue;
      }
      // An error of the callback is not one of the server, which is watched in any case.
      try {
        this.events.onRestart();
      } finally {
        this.watch(server);
      }
      return;
    }
  }
}
