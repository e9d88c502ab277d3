import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request } from 'express';
import { Unauthenticated } from '../platform/domain-errors';
import { Documents } from '../platform/openapi/operation';
import { VISIBLE_QUIZ } from './play.openapi';
import { PlayableQuizzesService } from './playable-quizzes.service';

/** 404 for a quiz that the caller may not see: after the body was read, before it is validated (contract). */
@Injectable()
@Documents(VISIBLE_QUIZ)
export class VisibleQuizInterceptor implements NestInterceptor {
  constructor(private readonly quizzes: PlayableQuizzesService) {}

  async intercept(context: ExecutionContext, next: CallHandler) {
    const { caller, params } = context.switchToHttp().getRequest<Request<{ id: string }>>();
    if (!caller) throw new Unauthenticated();
    await this.quizzes.ownerOf(caller.accountId, params.id);
    return next.handle();
  }
}
