import { Module } from '@nestjs/common';
import { PlayCounter } from './play-counter.service';
import { PlaysListener } from './plays.listener';

/** Counts plays. Only processes in which attempts are submitted import it: it works from its start. */
@Module({ providers: [PlayCounter, PlaysListener], exports: [PlayCounter] })
export class PlaysModule {}
