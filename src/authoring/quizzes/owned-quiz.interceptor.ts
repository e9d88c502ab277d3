import { applyDecorators, Injectable, UseInterceptors } from '@nestjs/common';
import { PathCheckInterceptor } from '../../access/rate-limit/path-check.interceptor';
import { Fails } from '../../platform/openapi/failures';
import { OWNED_QUIZ } from '../authoring.resources';
import { QuizAuthoringService } from './quiz-authoring.service';

/** The quiz of the path: 404, then 403 for one that is not the caller's. */
@Injectable()
class OwnedQuizInterceptor extends PathCheckInterceptor {
  constructor(private readonly quizzes: QuizAuthoringService) {
    super();
  }

  protected check(accountId: string, id: string): Promise<unknown> {
    return this.quizzes.requireOwner(accountId, id);
  }
}

export const OwnedQuiz = () =>
  applyDecorators(UseInterceptors(OwnedQuizInterceptor), Fails(...OWNED_QUIZ));
