import { Injectable } from '@nestjs/common';

/** The time. Tests replace it instead of sleeping. */
@Injectable()
export class Clock {
  now(): Date {
    return new Date();
  }

  /** Calls back after this many milliseconds, unless the returned function is called first. */
  after(delay: number, callback: () => void): () => void {
    const timer = setTimeout(callback, delay);
    return () => clearTimeout(timer);
  }

  /** False while the clocks of this machine and of the database differ too much to delete anything by age. */
  get trusted(): boolean {
    return true;
  }

  /**
   * Rows older than this time have exceeded `age`, in milliseconds, and may be deleted. While the clock is not
   * trusted, no row is: a clock that was a month ahead once deleted a month of deliveries.
   */
  cutoff(age: number): Date {
    return new Date(this.trusted ? this.now().getTime() - age : 0);
  }
}
