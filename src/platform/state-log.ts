import type { Logger } from './observability/logger';

/** Logs once that something fails and once that it works again, however often it is tried in between. */
export class StateLog {
  private failing = false;

  constructor(
    private readonly logger: Logger,
    private readonly subject: string,
  ) {}

  failed(error: unknown): void {
    if (this.failing) return;
    this.failing = true;
    this.logger.error({ err: error }, `${this.subject} fails and is tried again`);
  }

  works(): void {
    if (!this.failing) return;
    this.failing = false;
    this.logger.info(`${this.subject} works again`);
  }
}
