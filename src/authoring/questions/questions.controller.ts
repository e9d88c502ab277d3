import {
  applyDecorators,
  Body,
  Controller,
  Delete,
  HttpCode,
  Param,
  Patch,
  Res,
} from '@nestjs/common';
import type { Response } from 'express';
import {
  ChecksPath,
  CurrentCaller,
  NeedsKey,
  type Caller,
} from '../../access/api-keys/api-key.guard';
import { QuestionsService } from '../../catalog/questions/questions.service';
import { BrowseQuestion, QUESTION_ID } from '../../catalog/resources';
import {
  Conditional,
  IfMatch,
  SendsTag,
  versioned,
  type Precondition,
} from '../../platform/http/request/if-match';
import { JsonBody } from '../../platform/http/request/json-body.interceptor';
import { SendsJsonText, successBody } from '../../platform/http/server/text-response';
import { Endpoint, PathId, Sends, SendsNothing } from '../../platform/openapi/endpoint';
import { Fails } from '../../platform/openapi/failures';
import { CONTENT_LIMIT, OWNED_QUESTION } from '../authoring.resources';
import { UpdateQuestionRequest } from './batch-import.request';
import { QuestionEditingService } from './question-editing.service';

/** Changes of existing questions. */
@Controller('questions/:id')
export class QuestionsController {
  constructor(
    private readonly editing: QuestionEditingService,
    private readonly questions: QuestionsService,
  ) {}

  @Endpoint(
    'Questions',
    'updateQuestion',
    'Update a question',
    'Changes the fields that you send; the others stay. The question must then be valid as a whole. `answers` replaces all answers: one whose text is the same keeps its id.',
  )
  @PathId(...QUESTION_ID)
  @Sends('The question as it is now.', BrowseQuestion)
  @SendsTag()
  @Fails(CONTENT_LIMIT)
  @NeedsKey()
  @applyDecorators(JsonBody(), QuestionToEdit())
  @SendsJsonText()
  @Patch()
  async updateQuestion(
    @CurrentCaller() { accountId }: Caller,
    @Param('id') id: string,
    @IfMatch() expected: Precondition,
    @Body() fields: UpdateQuestionRequest,
    @Res({ passthrough: true }) response: Response,
  ) {
    const quizId = await this.editing.requireOwner(accountId, id);
    const { version } = await this.editing.update(accountId, quizId, id, expected, fields);
    const question = await this.questions.getJson(accountId, id);
    return versioned(response, version, successBody(question));
  }

  @Endpoint(
    'Questions',
    'deleteQuestion',
    'Delete a question',
    'The questions after it move up by one place.',
  )
  @PathId(...QUESTION_ID)
  @SendsNothing('It is deleted.')
  @NeedsKey()
  @QuestionToEdit()
  @HttpCode(204)
  @Delete()
  async deleteQuestion(
    @CurrentCaller() { accountId }: Caller,
    @Param('id') id: string,
    @IfMatch() expected: Precondition,
  ) {
    const quizId = await this.editing.requireOwner(accountId, id);
    await this.editing.delete(accountId, quizId, id, expected);
  }
}

/** The question of the path: 404, 403 if it is not the caller's, 412 if it is not the version of If-Match. */
function QuestionToEdit() {
  return applyDecorators(
    ChecksPath(QuestionEditingService, (editing, accountId, id) =>
      editing.requireOwner(accountId, id),
    ),
    Conditional(QuestionsService, async (questions, accountId, id) => {
      const question = await questions.getJson(accountId, id);
      return { body: successBody(question), version: question.version };
    }),
    Fails(...OWNED_QUESTION),
  );
}
