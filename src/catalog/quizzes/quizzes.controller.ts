import { Controller, Get, Param, Query } from '@nestjs/common';
import { NeedsKey, CurrentCaller, type Caller } from '../../access/api-keys/api-key.guard';
import { SendsJsonText, successBody } from '../../platform/http/server/text-response';
import { Endpoint, PathId, Sends } from '../../platform/openapi/endpoint';
import { Fails } from '../../platform/openapi/failures';
import { ListQuizzesQuery } from './list-quizzes.query';
import { QuizzesService } from './quizzes.service';
import { PageMeta, QUIZ_ID, QUIZ_NOT_FOUND, QuizDetail, QuizListItem } from '../resources';

/** Specification 4.3 and 4.5. */
@Controller('quizzes')
export class QuizzesController {
  constructor(private readonly quizzes: QuizzesService) {}

  @Endpoint(
    'Quizzes',
    'listQuizzes',
    'List and search quizzes',
    'Quizzes that are published and approved, and your own. All filters must match. Empty filters are ignored.',
  )
  @Sends(
    'A page of quizzes.',
    { listOf: QuizListItem, description: 'The quizzes of this page.' },
    PageMeta,
  )
  @NeedsKey()
  @SendsJsonText()
  @Get()
  async list(@CurrentCaller() caller: Caller, @Query() query: ListQuizzesQuery) {
    const { quizzes, total } = await this.quizzes.list(caller.accountId, query);
    const { limit, offset } = query;
    return successBody(quizzes, { total, limit, offset });
  }

  @Endpoint(
    'Quizzes',
    'getQuiz',
    'Get a quiz',
    'A quiz with all its questions and answers, the right ones marked. Of your own quizzes also drafts.',
  )
  @PathId(...QUIZ_ID)
  @Sends('The quiz.', QuizDetail)
  @Fails(QUIZ_NOT_FOUND)
  @NeedsKey()
  @SendsJsonText()
  @Get(':id')
  async get(@CurrentCaller() caller: Caller, @Param('id') id: string) {
    return successBody(await this.quizzes.getJson(caller.accountId, id));
  }
}
