import { Body, Controller, Delete, HttpCode, Param, Patch, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ADMINISTRATORS_ONLY, NeedsKey } from '../../access/api-keys/api-key.guard';
import type { Caller } from '../../access/api-keys/caller';
import { ChecksAccess } from '../../access/api-keys/checks-access.decorator';
import { CurrentCaller } from '../../access/api-keys/current-caller.decorator';
import { KeyScope } from '../../access/api-keys/key-scope.decorator';
import { NeedsPlan, PLAN_REQUIRED } from '../../access/api-keys/plan.guard';
import { EXAMPLE_QUIZ, QUIZ_ID, QUIZ_NOT_FOUND } from '../../catalog/quizzes/quizzes.dto';
import { SendsTag, versioned } from '../../platform/http/request/conditional.decorator';
import { IfMatch } from '../../platform/http/request/if-match.decorator';
import { JsonBody } from '../../platform/http/request/json-body.interceptor';
import type { Precondition } from '../../platform/http/request/precondition';
import { Keyed, Repeatable } from '../../platform/idempotency/idempotency.interceptor';
import type { KeyedRequest } from '../../platform/idempotency/idempotency.rules';
import { IdempotencyService } from '../../platform/idempotency/idempotency.service';
import {
  Endpoints,
  PathId,
  ResponseHeader,
  Sends,
  SendsNothing,
} from '../../platform/openapi/endpoint';
import { Fails } from '../../platform/openapi/failures';
import { CONTENT_LIMIT } from '../questions/questions.dto';
import { UNKNOWN_CATEGORY } from '../taxonomy/taxonomy.dto';
import { QuizAuthoringService } from './quiz-authoring.service';
import { QuizCopyingService } from './quiz-copying.service';
import { ONLY_OWNER_CHANGES, QuizToEdit } from './quiz-to-edit.decorator';
import {
  CopyQuizRequest,
  CreatedQuiz,
  CreateQuizRequest,
  EditedQuiz,
  NOT_REJECTED,
  QUIZ_LIMIT_REACHED,
  toCreatedQuiz,
  toEditedQuiz,
  UpdateQuizRequest,
} from './quizzes.dto';

/** Creating and changing quizzes (specification 4.4). */
@Endpoints('Quizzes')
@Controller('quizzes')
export class QuizAuthoringController {
  constructor(
    private readonly quizzes: QuizAuthoringService,
    private readonly copying: QuizCopyingService,
    private readonly idempotency: IdempotencyService,
  ) {}

  /**
   * Create a quiz
   * @remarks Needs a Starter or Pro plan. The quiz is yours and has no questions yet; others see it when it is
   * published and has passed review. With `published: true` the key also needs the scope `publish`.
   * @returns The new quiz.
   */
  @Sends(CreatedQuiz)
  @ResponseHeader('Location', 'The URL of the new quiz.', `/api/v1/quizzes/${EXAMPLE_QUIZ}`)
  @Fails(QUIZ_LIMIT_REACHED, UNKNOWN_CATEGORY)
  @NeedsPlan()
  @Repeatable()
  @JsonBody()
  @Post()
  createQuiz(
    @CurrentCaller() caller: Caller,
    @Keyed() request: KeyedRequest | null,
    @Body() body: CreateQuizRequest,
  ) {
    return this.idempotency.once(request, async (tx) =>
      created(await this.quizzes.createIn(tx, caller, body)),
    );
  }

  /**
   * Update a quiz
   * @remarks Changes the fields that you send; the others stay. A published quiz becomes public once it is approved,
   * and an edit does not change the approval: others see an edit of a live quiz at once. The key needs the scope
   * `publish` to change `published` or a live quiz, and `write` to change other fields. Publishing needs a Starter or
   * Pro plan. Administrators can change `featured` of any public quiz.
   * @returns The quiz as it is now.
   */
  @PathId(...QUIZ_ID)
  @Sends(EditedQuiz)
  @SendsTag()
  @Fails(UNKNOWN_CATEGORY, ADMINISTRATORS_ONLY, PLAN_REQUIRED)
  @NeedsKey()
  @KeyScope(['write', 'publish'])
  @QuizToEdit(ONLY_OWNER_CHANGES, true)
  @JsonBody()
  @Patch(':id')
  async updateQuiz(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @IfMatch() expected: Precondition,
    @Body() body: UpdateQuizRequest,
    @Res({ passthrough: true }) response: Response,
  ) {
    const quiz = await this.quizzes.update(caller, id, expected, body);
    return versioned(response, quiz.revision, { success: true, data: toEditedQuiz(quiz) });
  }

  /**
   * Delete a quiz
   * @remarks Deletes the quiz with its questions and its leaderboard, and frees its place in the quota. Attempts that
   * players have begun can still be submitted. For a live quiz the key also needs the scope `publish`.
   * @returns It is deleted.
   */
  @PathId(...QUIZ_ID)
  @SendsNothing()
  @HttpCode(204)
  @NeedsKey()
  @QuizToEdit(ONLY_OWNER_CHANGES)
  @Delete(':id')
  async deleteQuiz(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @IfMatch() expected: Precondition,
  ) {
    await this.quizzes.delete(caller, id, expected);
  }

  /**
   * Copy a quiz
   * @remarks Makes a draft of yours with all questions of a quiz that is public or your own: all of it, or nothing.
   * Questions keep their source and licence; plays, results and links stay with the original. Needs a Starter or Pro
   * plan, and counts as a new quiz. The body can be `{}`.
   * @returns The copy.
   */
  @PathId(...QUIZ_ID)
  @Sends(CreatedQuiz)
  @ResponseHeader('Location', 'The URL of the copy.', `/api/v1/quizzes/${EXAMPLE_QUIZ}`)
  @Fails(QUIZ_NOT_FOUND, QUIZ_LIMIT_REACHED, CONTENT_LIMIT)
  @NeedsPlan()
  @ChecksAccess(QuizCopyingService, (copying, { accountId }, id) =>
    copying.requireVisible(accountId, id),
  )
  @Repeatable()
  @JsonBody()
  @Post(':id/copy')
  copyQuiz(
    @CurrentCaller() { accountId }: Caller,
    @Keyed() request: KeyedRequest | null,
    @Param('id') id: string,
    @Body() { title }: CopyQuizRequest,
  ) {
    return this.idempotency.once(request, async (tx) =>
      created(await this.copying.copyIn(tx, accountId, id, title)),
    );
  }

  /**
   * Submit a rejected quiz for review again
   * @remarks Publishes the quiz and puts it back into the review queue. The reviewer sees the earlier reason. The key
   * needs the scope `publish`, and the account a Starter or Pro plan.
   * @returns The quiz, which is `pending` now.
   */
  @PathId(...QUIZ_ID)
  @Sends(EditedQuiz)
  @SendsTag()
  @Fails(NOT_REJECTED, PLAN_REQUIRED)
  @KeyScope(['publish'])
  @NeedsKey()
  @QuizToEdit(ONLY_OWNER_CHANGES)
  @Repeatable()
  @HttpCode(200)
  @Post(':id/resubmit')
  resubmitQuiz(
    @CurrentCaller() caller: Caller,
    @Keyed() request: KeyedRequest | null,
    @Param('id') id: string,
    @IfMatch() expected: Precondition,
    @Res({ passthrough: true }) response: Response,
  ) {
    return this.idempotency.once(request, async (tx) => {
      const quiz = await this.quizzes.resubmitIn(tx, caller, id, expected);
      const body = { success: true, data: toEditedQuiz(quiz) };
      return { body: versioned(response, quiz.revision, body) };
    });
  }
}

const created = (quiz: CreatedQuiz) => ({
  location: `/api/v1/quizzes/${quiz.id}`,
  body: { success: true, data: toCreatedQuiz(quiz) },
});
