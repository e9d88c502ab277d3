import type { Logger } from '../observability/logger';

/** Says once that something fails and once that it works again, however often it is tried meanwhile. */
export class StateLog {
  private failing = false;

  constructor(
    private readonly logger: Logger,
    private readonly subject: string,
  ) {}

  get good(): boolean {
    return !this.failing;
  }

  failed(error: unknown): void {
    if (this.failing) return;
    this.failing = true;
    this.logger.error({ err: error }, `${this.subject} fails; the worker goes on trying`);
  }

  works(): void {
    if (!this.failing) return;
    this.failing = false;
    this.logger.info(`${this.subject} works again`);
  }
}
