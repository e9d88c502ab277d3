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
  ADMINISTRATORS_ONLY,
  ChecksPath,
  CurrentCaller,
  KeyScope,
  NeedsKey,
  requireScope,
  type Caller,
} from '../access/api-keys/api-key.guard';
import { QuestionsService } from '../catalog/questions/questions.service';
import { BrowseQuestion, QUESTION_ID, QUIZ_ID } from '../catalog/resources';
import {
  Conditional,
  IfMatch,
  SendsTag,
  versioned,
  type Precondition,
} from '../platform/http/request/if-match';
import { JsonBody } from '../platform/http/request/json-body.interceptor';
import { SendsJsonText, successBody } from '../platform/http/server/text-response';
import { IdempotencyService, type KeyedRequest } from '../platform/idempotency/idempotency.service';
import { Keyed, Repeatable } from '../platform/idempotency/repeatable';
import { Endpoint, PathId, Sends, SendsNothing } from '../platform/openapi/endpoint';
import { Fails } from '../platform/openapi/failures';
import { OwnedQuiz } from './authoring.controller';
import {
  CONTENT_LIMIT,
  EditedQuiz,
  LIVE_QUIZ_NEEDS_PUBLISH,
  NOT_A_PERMUTATION,
  NOT_REJECTED,
  OWNED_QUESTION,
  toEditedQuiz,
  UNKNOWN_CATEGORY,
} from './authoring.resources';
import { OrderQuestionsRequest, UpdateQuestionRequest } from './questions/batch-import.request';
import { QuestionEditingService } from './questions/question-editing.service';
import { UpdateQuizRequest } from './quizzes/create-quiz.request';
import { QuizAuthoringService } from './quizzes/quiz-authoring.service';

const EDITS = 'Only its owner changes it.';

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
    'Changes the fields that you send; the others stay. A published quiz becomes public once it is approved, and an edit does not change the approval: others see an edit of a live quiz at once. The key needs the scope `publish` to change `published` or a live quiz, and `write` to change other fields. Administrators can change `featured` of any public quiz.',
  )
  @PathId(...QUIZ_ID)
  @Sends('The quiz as it is now.', EditedQuiz)
  @SendsTag()
  @Fails(UNKNOWN_CATEGORY, ADMINISTRATORS_ONLY)
  @NeedsKey()
  @KeyScope('write', 'publish')
  @applyDecorators(JsonBody(), OwnedQuiz(EDITS, true))
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
  @OwnedQuiz(EDITS)
  @Delete()
  async deleteQuiz(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @IfMatch() expected: Precondition,
  ) {
    await this.quizzes.delete(caller.accountId, id, expected, caller);
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
  @applyDecorators(Repeatable(), OwnedQuiz(EDITS))
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
  @applyDecorators(JsonBody(), OwnedQuiz(EDITS))
  @HttpCode(204)
  @Put('questions/order')
  orderQuestions(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @IfMatch() expected: Precondition,
    @Body() { ids }: OrderQuestionsRequest,
  ) {
    return this.questions.reorder(caller.accountId, id, ids, expected, caller);
  }
}

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
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @IfMatch() expected: Precondition,
    @Body() fields: UpdateQuestionRequest,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { accountId } = caller;
    const quizId = await this.editing.requireOwner(caller, id);
    const { version } = await this.editing.update(accountId, quizId, id, expected, fields, caller);
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
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @IfMatch() expected: Precondition,
  ) {
    const quizId = await this.editing.requireOwner(caller, id);
    await this.editing.delete(caller.accountId, quizId, id, expected, caller);
  }
}

/** The question of the path: 404, 403 if it is not the caller's, 412 if it is not the version of If-Match. */
function QuestionToEdit() {
  return applyDecorators(
    ChecksPath(QuestionEditingService, (editing, _, id, caller) =>
      editing.requireOwner(caller, id),
    ),
    Conditional(QuestionsService, async (questions, accountId, id) => {
      const question = await questions.getJson(accountId, id);
      return { body: successBody(question), version: question.version };
    }),
    Fails(...OWNED_QUESTION, LIVE_QUIZ_NEEDS_PUBLISH),
  );
}
