import { Body, Controller, HttpCode, Param, Post, Put } from '@nestjs/common';
import { NeedsKey } from '../../access/api-keys/api-key.guard';
import type { Caller } from '../../access/api-keys/caller';
import { CurrentCaller } from '../../access/api-keys/current-caller.decorator';
import { NeedsPlan } from '../../access/api-keys/plan.guard';
import { QUESTION_NOT_FOUND } from '../../catalog/questions/questions.dto';
import {
  QUIZ_ID,
  type StoredQuestion,
  toQuizQuestionDetail,
} from '../../catalog/quizzes/quizzes.dto';
import { IfMatch } from '../../platform/http/request/if-match.decorator';
import { JsonBody } from '../../platform/http/request/json-body.interceptor';
import type { Precondition } from '../../platform/http/request/precondition';
import { Keyed, Repeatable } from '../../platform/idempotency/idempotency.interceptor';
import type { KeyedRequest } from '../../platform/idempotency/idempotency.rules';
import { IdempotencyService } from '../../platform/idempotency/idempotency.service';
import { Endpoints, PathId, Sends, SendsNothing } from '../../platform/openapi/endpoint';
import { Fails } from '../../platform/openapi/failures';
import { BatchImportService } from '../questions/batch-import.service';
import { QuestionCopyingService } from '../questions/question-copying.service';
import { QuestionEditingService } from '../questions/question-editing.service';
import {
  BatchImportRequest,
  CONTENT_LIMIT,
  CopyQuestionsRequest,
  ImportedQuestions,
  NOT_A_PERMUTATION,
  OrderQuestionsRequest,
} from '../questions/questions.dto';
import { ONLY_OWNER_CHANGES, QuizToEdit } from './quiz-to-edit.decorator';

/** The questions of a quiz as a whole (specification 4.7). */
@Endpoints('Questions')
@Controller('quizzes/:id/questions')
export class QuizQuestionsController {
  constructor(
    private readonly batches: BatchImportService,
    private readonly copying: QuestionCopyingService,
    private readonly questions: QuestionEditingService,
    private readonly idempotency: IdempotencyService,
  ) {}

  /**
   * Import questions into a quiz
   * @remarks Appends 1 to 50 questions to a quiz of your own: all of them, or none if one has an issue. Needs a Starter
   * or Pro plan. A quiz holds at most 1,000 questions and 2 MiB of them, and an account as much as its plan allows
   * (Starter 64 MiB, Pro 640 MiB).
   * @returns The new questions.
   */
  @PathId(...QUIZ_ID)
  @Sends(ImportedQuestions)
  @Fails(CONTENT_LIMIT)
  @NeedsPlan()
  @QuizToEdit()
  @Repeatable()
  @JsonBody()
  @Post('batch')
  importQuestions(
    @CurrentCaller() caller: Caller,
    @Keyed() request: KeyedRequest | null,
    @Param('id') quizId: string,
    @IfMatch() expected: Precondition,
    @Body() body: BatchImportRequest,
  ) {
    return this.idempotency.once(request, async (tx) => {
      const { questions: sent } = body;
      const questions = await this.batches.importIn(tx, caller, quizId, sent, expected);
      return { body: { success: true, data: toImported(quizId, questions) } };
    });
  }

  /**
   * Copy or move questions into a quiz
   * @remarks Appends copies of 1 to 50 questions to a quiz of your own, or moves them there: all of them, or none. You
   * can copy questions of public quizzes and of your own, and move your own. They keep their source and licence and get
   * ids of their own; results stay with the quiz where they were. Needs a Starter or Pro plan. The limits of
   * `POST /quizzes/{id}/questions/batch` apply, and `If-Match` takes the `ETag` of the quiz that they are added to.
   * @returns The questions as they are in this quiz.
   */
  @PathId(...QUIZ_ID)
  @Sends(ImportedQuestions)
  @Fails(CONTENT_LIMIT, QUESTION_NOT_FOUND)
  @NeedsPlan()
  @QuizToEdit()
  @Repeatable()
  @JsonBody()
  @Post('copy')
  copyQuestions(
    @CurrentCaller() caller: Caller,
    @Keyed() request: KeyedRequest | null,
    @Param('id') quizId: string,
    @IfMatch() expected: Precondition,
    @Body() body: CopyQuestionsRequest,
  ) {
    return this.idempotency.once(request, async (tx) => {
      const questions = await this.copying.copyIn(tx, caller, quizId, body, expected);
      return { body: { success: true, data: toImported(quizId, questions) } };
    });
  }

  /**
   * Put the questions of a quiz in another order
   * @remarks Send the ids of all its questions. `If-Match` takes the `ETag` of the quiz.
   * @returns They have this order now.
   */
  @PathId(...QUIZ_ID)
  @SendsNothing()
  @Fails(NOT_A_PERMUTATION)
  @NeedsKey()
  @QuizToEdit(ONLY_OWNER_CHANGES)
  @JsonBody()
  @HttpCode(204)
  @Put('order')
  orderQuestions(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @IfMatch() expected: Precondition,
    @Body() { ids }: OrderQuestionsRequest,
  ) {
    return this.questions.reorder(caller, { quizId: id, expected }, ids);
  }
}

const toImported = (quizId: string, questions: readonly StoredQuestion[]): ImportedQuestions => ({
  // In the quiz's own spelling, whatever the path's: ids are case-insensitive.
  quizId: quizId.toLowerCase(),
  questionsCreated: questions.length,
  questions: questions.map(toQuizQuestionDetail),
});
