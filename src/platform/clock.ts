import { Injectable } from '@nestjs/common';

/** The time. Tests replace it instead of sleeping. */
@Injectable()
export class Clock {
  now(): Date {
    return new Date();
  }

  /** Calls back after so many milliseconds, unless the returned function is called before. */
  after(delay: number, callback: () => void): () => void {
    const timer = setTimeout(callback, delay);
    return () => clearTimeout(timer);
  }

  /** False while the clocks of this machine and of the database are too far apart to decide about deletion. */
  get trusted(): boolean {
    return true;
  }

  /**
   * Rows from before this time are older than `age`, in milliseconds, and may be deleted. While the clock is not
   * trusted that is no row at all: a clock that is a month ahead once erased a month of deliveries.
   */
  cutoff(age: number): Date {
    return new Date(this.trusted ? this.now().getTime() - age : 0);
  }
}
