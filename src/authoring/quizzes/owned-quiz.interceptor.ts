import { Injectable } from '@nestjs/common';
import { PathCheckInterceptor } from '../../access/rate-limit/path-check.interceptor';
import { Documents } from '../../platform/openapi/operation';
import { OWNED_QUIZ } from '../authoring.openapi';
import { QuizAuthoringService } from './quiz-authoring.service';

/** The quiz of the path: 404, then 403 for one that is not the caller's. */
@Injectable()
@Documents(OWNED_QUIZ)
export class OwnedQuizInterceptor extends PathCheckInterceptor {
  constructor(private readonly quizzes: QuizAuthoringService) {
    super();
  }

  protected check(accountId: string, id: string): Promise<unknown> {
    return this.quizzes.requireOwner(accountId, id);
  }
}
