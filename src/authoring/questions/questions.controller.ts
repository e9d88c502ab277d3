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
import { NeedsKey } from '../../access/api-keys/api-key.guard';
import type { Caller } from '../../access/api-keys/caller';
import { ChecksAccess } from '../../access/api-keys/checks-access.decorator';
import { CurrentCaller } from '../../access/api-keys/current-caller.decorator';
import { QUESTION_ID, type SingleQuestion } from '../../catalog/questions/questions.dto';
import { QuestionsService } from '../../catalog/questions/questions.service';
import {
  Conditional,
  SendsTag,
  versioned,
} from '../../platform/http/request/conditional.decorator';
import { IfMatch } from '../../platform/http/request/if-match.decorator';
import { JsonBody } from '../../platform/http/request/json-body.interceptor';
import type { Precondition } from '../../platform/http/request/precondition';
import { successBody } from '../../platform/http/server/text-response';
import { Endpoints, PathId, Sends, SendsNothing } from '../../platform/openapi/endpoint';
import { Fails } from '../../platform/openapi/failures';
import { LIVE_QUIZ_NEEDS_PUBLISH } from '../review/review.dto';
import { EarlierAttempts } from './earlier-attempts';
import { QuestionEditingService } from './question-editing.service';
import {
  CONTENT_LIMIT,
  EditedQuestion,
  OWNED_QUESTION,
  UpdateQuestionRequest,
} from './questions.dto';

/** Changes of existing questions. */
@Endpoints('Questions')
@Controller('questions/:id')
export class QuestionAuthoringController {
  constructor(
    private readonly editing: QuestionEditingService,
    private readonly questions: QuestionsService,
    private readonly earlier: EarlierAttempts,
  ) {}

  /**
   * Update a question
   * @remarks Changes the fields that you send; the others stay. The question must then be valid as a whole. `answers`
   * replaces all answers: one whose text is the same keeps its id. Attempts that have been submitted keep their scores
   * when the correct answers change: `earlierAttempts` counts them, and `POST /quizzes/{id}/regrade` scores them again.
   * @returns The question as it is now.
   */
  @PathId(...QUESTION_ID)
  @Sends(EditedQuestion)
  @SendsTag()
  @Fails(CONTENT_LIMIT)
  @NeedsKey()
  @QuestionToEdit()
  @JsonBody()
  @Patch()
  async updateQuestion(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @IfMatch() expected: Precondition,
    @Body() fields: UpdateQuestionRequest,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { accountId } = caller;
    const quizId = await this.editing.requireOwner(caller, id);
    const read = { quizId, questionId: id, expected };
    const { version } = await this.editing.update(caller, read, fields);
    const data = await this.edited(accountId, quizId, id, fields);
    return versioned(response, version, { success: true, data });
  }

  /**
   * Delete a question
   * @remarks The questions after it move up by one place.
   * @returns It is deleted.
   */
  @PathId(...QUESTION_ID)
  @SendsNothing()
  @NeedsKey()
  @QuestionToEdit()
  @HttpCode(204)
  @Delete()
  async deleteQuestion(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @IfMatch() expected: Precondition,
  ) {
    const quizId = await this.editing.requireOwner(caller, id);
    await this.editing.delete(caller, { quizId, questionId: id, expected });
  }

  /** The question after a change of these fields. */
  private async edited(
    accountId: string,
    quizId: string,
    id: string,
    fields: UpdateQuestionRequest,
  ): Promise<EditedQuestion> {
    const { text } = await this.questions.getJson(accountId, id);
    const question = JSON.parse(text) as SingleQuestion;
    const change = { questions: [{ ...fields, id }] };
    const earlierAttempts = await this.earlier.countEarlier(accountId, quizId, change);
    return { ...question, earlierAttempts };
  }
}

/** The question of the path: 404, 403 if it is not the caller's, 412 if it is not the version of If-Match. */
function QuestionToEdit() {
  return applyDecorators(
    ChecksAccess(QuestionEditingService, (editing, caller, id) => editing.requireOwner(caller, id)),
    Conditional(QuestionsService, async (questions, accountId, id) => {
      const question = await questions.getJson(accountId, id);
      return { body: successBody(question), version: question.version };
    }),
    Fails(...OWNED_QUESTION, LIVE_QUIZ_NEEDS_PUBLISH),
  );
}
