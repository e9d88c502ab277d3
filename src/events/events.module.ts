import { Module } from '@nestjs/common';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { DomainEvents } from './domain-events';
import { Outbox } from './outbox';

/** Domain events: every module that emits them imports this one. */
@Module({
  imports: [EventEmitterModule.forRoot()],
  providers: [Outbox, DomainEvents],
  exports: [Outbox, DomainEvents],
})
export class EventsModule {}
