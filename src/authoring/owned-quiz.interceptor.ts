import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request } from 'express';
import { Unauthenticated } from '../platform/domain-errors';
import { Documents } from '../platform/openapi/operation';
import { OWNED_QUIZ } from './authoring.openapi';
import { QuizAuthoringService } from './quiz-authoring.service';

/**
 * Checks the quiz of the path, 404 then 403. An interceptor, because the contract puts it after the body
 * was read as JSON and before its questions are validated.
 */
@Injectable()
@Documents(OWNED_QUIZ)
export class OwnedQuizInterceptor implements NestInterceptor {
  constructor(private readonly quizzes: QuizAuthoringService) {}

  async intercept(context: ExecutionContext, next: CallHandler) {
    const { caller, params } = context.switchToHttp().getRequest<Request<{ id: string }>>();
    if (!caller) throw new Unauthenticated();
    await this.quizzes.requireOwner(caller.accountId, params.id);
    return next.handle();
  }
}
