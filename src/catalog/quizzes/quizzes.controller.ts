import { Controller, Get, Param, Query, Res, UseInterceptors } from '@nestjs/common';
import type { Response } from 'express';
import { requireScope, viewerOf } from '../../access/accounts/scope.rules';
import { NeedsKey } from '../../access/api-keys/api-key.guard';
import type { Caller } from '../../access/api-keys/caller';
import { CurrentCaller } from '../../access/api-keys/current-caller.decorator';
import { KeyScope } from '../../access/api-keys/key-scope.decorator';
import { versioned } from '../../platform/http/request/conditional.decorator';
import { SendsJsonText, successBody } from '../../platform/http/server/text-response';
import { Endpoints, PathId, Sends } from '../../platform/openapi/endpoint';
import { Fails } from '../../platform/openapi/failures';
import { PageMeta } from '../pages.dto';
import { ReadCacheInterceptor } from '../read-cache.interceptor';
import {
  IncludeQuery,
  ListQuizzesQuery,
  QUIZ_ID,
  QUIZ_NOT_FOUND,
  QuizDetail,
  QuizListItem,
} from './quizzes.dto';
import { QuizzesService } from './quizzes.service';

/** Reading quizzes (specification 4.3 and 4.5). */
@UseInterceptors(ReadCacheInterceptor)
@Endpoints('Quizzes')
@Controller('quizzes')
export class QuizzesController {
  constructor(private readonly quizzes: QuizzesService) {}

  /**
   * List and search quizzes
   * @remarks Quizzes that are published and approved, and your own; with `mine=true` only your own. All filters must
   * match. Empty filters are ignored.
   * @returns A page of quizzes.
   */
  @Sends([QuizListItem], PageMeta)
  @NeedsKey()
  @KeyScope(['read', 'play'])
  @SendsJsonText()
  @Get()
  async listQuizzes(@CurrentCaller() caller: Caller, @Query() query: ListQuizzesQuery) {
    const { limit, offset, mine } = query;
    if (mine) requireScope(caller, 'read');
    const { quizzes, total } = await this.quizzes.list(viewerOf(caller), query);
    return successBody(quizzes, { total, limit, offset });
  }

  /**
   * Get a quiz
   * @remarks A quiz with all its questions and answers, the correct ones marked. You also get your own
   * quizzes that others cannot see.
   * @returns The quiz.
   */
  @PathId(...QUIZ_ID)
  @Sends(QuizDetail)
  @Fails(QUIZ_NOT_FOUND)
  @NeedsKey()
  @SendsJsonText()
  @Get(':id')
  async getQuiz(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Query() { include }: IncludeQuery,
    @Res({ passthrough: true }) response: Response,
  ) {
    const language = include.includes('language');
    if (include.includes('html')) {
      const quiz = await this.quizzes.getWithHtml(viewerOf(caller), id, language);
      return versioned(response, quiz.version, successBody(quiz));
    }
    const quiz = await this.quizzes.getJson(viewerOf(caller), id, language);
    return versioned(response, quiz.version, successBody(quiz));
  }
}
