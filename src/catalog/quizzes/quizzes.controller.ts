import { Controller, Get, Param, Query } from '@nestjs/common';
import { NeedsKey } from '../../access/api-keys/api-key.guard';
import { CurrentCaller, type Caller } from '../../access/api-keys/caller';
import { SendsJsonText, successBody } from '../../platform/http/request/json-text';
import { Documented } from '../../platform/openapi/operation';
import { GET_QUIZ, LIST_QUIZZES } from '../catalog.openapi';
import { ListQuizzesQuery } from './list-quizzes.query';
import { QuizzesService } from './quizzes.service';

/** Specification 4.3 and 4.5. */
@Controller('quizzes')
export class QuizzesController {
  constructor(private readonly quizzes: QuizzesService) {}

  @Documented(LIST_QUIZZES)
  @NeedsKey()
  @SendsJsonText()
  @Get()
  async list(@CurrentCaller() caller: Caller, @Query() query: ListQuizzesQuery) {
    const { quizzes, total } = await this.quizzes.list(caller.accountId, query);
    const { limit, offset } = query;
    return successBody(quizzes, { total, limit, offset });
  }

  @Documented(GET_QUIZ)
  @NeedsKey()
  @SendsJsonText()
  @Get(':id')
  async get(@CurrentCaller() caller: Caller, @Param('id') id: string) {
    return successBody(await this.quizzes.getJson(caller.accountId, id));
  }
}
