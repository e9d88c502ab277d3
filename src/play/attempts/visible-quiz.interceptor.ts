import { applyDecorators, Injectable, UseInterceptors } from '@nestjs/common';
import { PathCheckInterceptor } from '../../access/rate-limit/path-check.interceptor';
import { QUIZ_NOT_FOUND } from '../../catalog/resources';
import { Fails } from '../../platform/openapi/failures';

import { PlayableQuizzesService } from '../visitors/playable-quizzes.service';

/** 404 for a quiz that the caller may not see. */
@Injectable()
class VisibleQuizInterceptor extends PathCheckInterceptor {
  constructor(private readonly quizzes: PlayableQuizzesService) {
    super();
  }

  protected check(accountId: string, id: string): Promise<unknown> {
    return this.quizzes.find(accountId, id);
  }
}

export const VisibleQuiz = () =>
  applyDecorators(UseInterceptors(VisibleQuizInterceptor), Fails(QUIZ_NOT_FOUND));
