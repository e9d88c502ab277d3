import { Module } from '@nestjs/common';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DomainEvents } from './domain-events';
import { Outbox } from './outbox';
import { OutboxEvent } from './outbox-event.entity';

/** Domain events: every module that emits them imports this one. */
@Module({
  // `forRoot` here and not in a root module: the API, the worker, quizctl and the import process each have their own.
  imports: [EventEmitterModule.forRoot(), TypeOrmModule.forFeature([OutboxEvent])],
  providers: [Outbox, DomainEvents],
  exports: [TypeOrmModule, DomainEvents],
})
export class EventsModule {}
