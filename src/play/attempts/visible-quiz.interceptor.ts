import { Injectable } from '@nestjs/common';
import { PathCheckInterceptor } from '../../access/rate-limit/path-check.interceptor';
import { Documents } from '../../platform/openapi/operation';
import { VISIBLE_QUIZ } from '../play.openapi';
import { PlayableQuizzesService } from '../visitors/playable-quizzes.service';

/** 404 for a quiz that the caller may not see. */
@Injectable()
@Documents(VISIBLE_QUIZ)
export class VisibleQuizInterceptor extends PathCheckInterceptor {
  constructor(private readonly quizzes: PlayableQuizzesService) {
    super();
  }

  protected check(accountId: string, id: string): Promise<unknown> {
    return this.quizzes.find(accountId, id);
  }
}
