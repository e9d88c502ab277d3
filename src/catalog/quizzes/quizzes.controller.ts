import { UseInterceptors, Controller, Get, Query, Param, Res } from '@nestjs/common';
import { ReadCacheInterceptor } from '../read-cache.interceptor';
import { Endpoints, Sends, PathId } from '../../platform/openapi/endpoint';
import { QuizzesService } from './quizzes.service';
import { QuizListItem, ListQuizzesQuery, QUIZ_ID, QuizDetail, QUIZ_NOT_FOUND } from './quizzes.dto';
import { PageMeta } from '../pages.dto';
import {
  NeedsKey,
  KeyScope,
  CurrentCaller,
  type Caller,
  requireScope,
  viewerOf,
} from '../../access/api-keys/api-key.guard';
import { SendsJsonText, successBody } from '../../platform/http/server/text-response';
import { Fails } from '../../platform/openapi/failures';
import type { Response } from 'express';
import { versioned } from '../../platform/http/request/if-match';

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
  @KeyScope('read', 'play')
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
   * @remarks A quiz with all its questions and answers, the correct ones marked. Of your own quizzes also drafts, and
   * changes that wait for review.
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
    @Res({ passthrough: true }) response: Response,
  ) {
    const quiz = await this.quizzes.getJson(viewerOf(caller), id);
    return versioned(response, quiz.version, successBody(quiz));
  }
}
