import {
  applyDecorators,
  Body,
  Controller,
  Delete,
  HttpCode,
  Param,
  Patch,
  Post,
  Put,
  Res,
} from '@nestjs/common';
import type { Response } from 'express';
import {
  ChecksPath,
  CurrentCaller,
  KeyScope,
  NeedsKey,
  requireScope,
  type Caller,
} from '../access/api-keys/api-key.guard';
import { QUIZ_ID } from '../catalog/resources';
import { IfMatch, SendsTag, versioned, type Precondition } from '../platform/http/request/if-match';
import { JsonBody } from '../platform/http/request/json-body.interceptor';
import { IdempotencyService, type KeyedRequest } from '../platform/idempotency/idempotency.service';
import { Keyed, Repeatable } from '../platform/idempotency/repeatable';
import { Endpoint, PathId, Sends, SendsNothing } from '../platform/openapi/endpoint';
import { Fails } from '../platform/openapi/failures';
import { ChangesQuiz } from './authoring.controller';
import {
  EditedQuiz,
  NOT_A_PERMUTATION,
  NOT_REJECTED,
  OWNED_QUIZ,
  toEditedQuiz,
  UNKNOWN_CATEGORY,
} from './authoring.resources';
import { OrderQuestionsRequest } from './questions/batch-import.request';
import { QuestionEditingService } from './questions/question-editing.service';
import { UpdateQuizRequest } from './quizzes/create-quiz.request';
import { QuizAuthoringService } from './quizzes/quiz-authoring.service';

/** Changes of existing quizzes. */
@Controller('quizzes/:id')
export class EditingController {
  constructor(
    private readonly quizzes: QuizAuthoringService,
    private readonly questions: QuestionEditingService,
    private readonly responses: IdempotencyService,
  ) {}

  @Endpoint(
    'Quizzes',
    'updateQuiz',
    'Update a quiz',
    'Changes the fields that you send; the others stay. A published quiz becomes public once it is approved, and an edit does not change the approval. Where the operator reviews edits too, others see an edit of an approved quiz once it is approved. The key needs the scope `publish` to change `published`, and `write` to change other fields. Administrators can change `featured` of any public quiz.',
  )
  @PathId(...QUIZ_ID)
  @Sends('The quiz as it is now.', EditedQuiz)
  @SendsTag()
  @Fails(UNKNOWN_CATEGORY)
  @NeedsKey()
  @KeyScope('write', 'publish')
  @applyDecorators(JsonBody(), QuizToEdit({ byAdministrators: true }))
  @Patch()
  async updateQuiz(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @IfMatch() expected: Precondition,
    @Body() body: UpdateQuizRequest,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { published, ...fields } = body;
    if (published !== undefined) requireScope(caller, 'publish');
    if (Object.values(fields).some((value) => value !== undefined)) requireScope(caller, 'write');
    const quiz = await this.quizzes.update(caller, id, expected, body);
    return versioned(response, quiz.revision, { success: true, data: toEditedQuiz(quiz) });
  }

  @Endpoint(
    'Quizzes',
    'deleteQuiz',
    'Delete a quiz',
    'Deletes the quiz with its questions and its leaderboard, and frees its place in the quota. Attempts that players have begun can still be submitted.',
  )
  @PathId(...QUIZ_ID)
  @SendsNothing('It is deleted.')
  @HttpCode(204)
  @NeedsKey()
  @QuizToEdit()
  @Delete()
  async deleteQuiz(
    @CurrentCaller() { accountId }: Caller,
    @Param('id') id: string,
    @IfMatch() expected: Precondition,
  ) {
    await this.quizzes.delete(accountId, id, expected);
  }

  @Endpoint(
    'Quizzes',
    'resubmitQuiz',
    'Submit a rejected quiz for review again',
    'Publishes the quiz and puts it back into the review queue. The reviewer sees the earlier reason.',
  )
  @PathId(...QUIZ_ID)
  @Sends('The quiz, which is `pending` now.', EditedQuiz)
  @SendsTag()
  @Fails(NOT_REJECTED)
  @KeyScope('publish')
  @NeedsKey()
  @applyDecorators(Repeatable(), QuizToEdit())
  @HttpCode(200)
  @Post('resubmit')
  resubmitQuiz(
    @CurrentCaller() { accountId }: Caller,
    @Keyed() request: KeyedRequest | null,
    @Param('id') id: string,
    @IfMatch() expected: Precondition,
    @Res({ passthrough: true }) response: Response,
  ) {
    return this.responses.once(request, async (tx) => {
      const quiz = await this.quizzes.resubmitIn(tx, accountId, id, expected);
      const body = { success: true, data: toEditedQuiz(quiz) };
      return { body: versioned(response, quiz.revision, body) };
    });
  }

  @Endpoint(
    'Questions',
    'orderQuestions',
    'Put the questions of a quiz in another order',
    'Send the ids of all its questions. `If-Match` takes the `ETag` of the quiz.',
  )
  @PathId(...QUIZ_ID)
  @SendsNothing('They have this order now.')
  @Fails(NOT_A_PERMUTATION)
  @NeedsKey()
  @applyDecorators(JsonBody(), QuizToEdit())
  @HttpCode(204)
  @Put('questions/order')
  orderQuestions(
    @CurrentCaller() { accountId }: Caller,
    @Param('id') id: string,
    @IfMatch() expected: Precondition,
    @Body() { ids }: OrderQuestionsRequest,
  ) {
    return this.questions.reorder(accountId, id, ids, expected);
  }
}

/** The quiz of the path: 404, 403 where it is not the caller's, 412 where it is not the version of If-Match. */
function QuizToEdit({ byAdministrators = false } = {}) {
  return applyDecorators(
    ChecksPath(QuizAuthoringService, (quizzes, accountId, id, { isAdmin }) =>
      quizzes.requireOwner(
        accountId,
        id,
        'Only its owner changes it.',
        byAdministrators && isAdmin,
      ),
    ),
    ChangesQuiz(),
    Fails(...OWNED_QUIZ),
  );
}
