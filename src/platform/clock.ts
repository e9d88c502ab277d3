import { Injectable } from '@nestjs/common';

/** The time. Tests replace it instead of sleeping. */
@Injectable()
export class Clock {
  now(): Date {
    return new Date();
  }
}
