import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { OnDomainEvent } from '../../events/domain-events';
import type { DomainEvent } from '../../events/event-map';
import { insertPlays } from './plays.queries';

@Injectable()
export class PlaysListener {
  /** `PlayCounter` adds it to the quiz after the commit: many players would wait for one row here. */
  @OnDomainEvent('quiz.played')
  async quizPlayed({ data }: DomainEvent<'quiz.played'>, tx: EntityManager) {
    await insertPlays(tx, data.quizId, data.attemptIds);
  }
}
