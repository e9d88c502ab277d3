import { applyDecorators, Body, Controller, Param, Post } from '@nestjs/common';
import {
  ChecksPath,
  CurrentCaller,
  NeedsPlan,
  requireScope,
  type Caller,
} from '../access/api-keys/api-key.guard';
import { QuizzesService } from '../catalog/quizzes/quizzes.service';
import { EXAMPLE_QUIZ, QUIZ_ID, toQuizQuestionDetail } from '../catalog/resources';
import { Conditional, IfMatch, type Precondition } from '../platform/http/request/if-match';
import { JsonBody } from '../platform/http/request/json-body.interceptor';
import { successBody } from '../platform/http/server/text-response';
import { Keyed, Repeatable } from '../platform/idempotency/repeatable';
import { IdempotencyService, type KeyedRequest } from '../platform/idempotency/idempotency.service';
import { Endpoint, PathId, ResponseHeader, Sends } from '../platform/openapi/endpoint';
import { Fails } from '../platform/openapi/failures';
import { BatchImportRequest } from './questions/batch-import.request';
import { BatchImportService } from './questions/batch-import.service';
import { CreateQuizRequest } from './quizzes/create-quiz.request';
import {
  CONTENT_LIMIT,
  CreatedQuiz,
  ImportedQuestions,
  OWNED_QUIZ,
  QUIZ_LIMIT_REACHED,
  UNKNOWN_CATEGORY,
  toCreatedQuiz,
} from './authoring.resources';
import { QuizAuthoringService } from './quizzes/quiz-authoring.service';

/** Specification 4.4 and 4.7. The interceptors run after the guards and in their order (contract). */
@Controller('quizzes')
export class AuthoringController {
  constructor(
    private readonly quizzes: QuizAuthoringService,
    private readonly batches: BatchImportService,
    private readonly idempotency: IdempotencyService,
  ) {}

  @Endpoint(
    'Quizzes',
    'createQuiz',
    'Create a quiz',
    'Needs a Starter or Pro plan. The quiz is yours and has no questions yet; others see it when it is published and has passed review. With `published: true` the key also needs the scope `publish`.',
  )
  @Sends('The new quiz.', CreatedQuiz)
  @ResponseHeader('Location', 'The URL of the new quiz.', `/api/v1/quizzes/${EXAMPLE_QUIZ}`)
  @Fails(QUIZ_LIMIT_REACHED, UNKNOWN_CATEGORY)
  @NeedsPlan()
  @applyDecorators(JsonBody(), Repeatable())
  @Post()
  create(
    @CurrentCaller() caller: Caller,
    @Keyed() request: KeyedRequest | null,
    @Body() body: CreateQuizRequest,
  ) {
    if (body.published) requireScope(caller, 'publish');
    return this.idempotency.once(request, async (tx) => {
      const quiz = await this.quizzes.createIn(tx, caller.accountId, body);
      return {
        location: `/api/v1/quizzes/${quiz.id}`,
        body: { success: true, data: toCreatedQuiz(quiz) },
      };
    });
  }

  @Endpoint(
    'Questions',
    'importQuestions',
    'Import questions into a quiz',
    'Appends 1 to 50 questions to a quiz of your own: all of them, or none if one has an issue. Needs a Starter or Pro plan. A quiz holds at most 1,000 questions and 2 MiB of them, and an account as much as its plan allows (Starter 64 MiB, Pro 640 MiB).',
  )
  @PathId(...QUIZ_ID)
  @Sends('The new questions.', ImportedQuestions)
  @Fails(CONTENT_LIMIT)
  @NeedsPlan()
  @applyDecorators(JsonBody(), Repeatable(), OwnedQuiz())
  @Post(':id/questions/batch')
  importBatch(
    @CurrentCaller() { accountId }: Caller,
    @Keyed() request: KeyedRequest | null,
    @Param('id') quizId: string,
    @IfMatch() expected: Precondition,
    @Body() body: BatchImportRequest,
  ) {
    return this.idempotency.once(request, async (tx) => {
      const { questions: sent } = body;
      const questions = await this.batches.importIn(tx, accountId, quizId, sent, expected);
      const data = {
        // In the quiz's own spelling, whatever the path's: ids are case-insensitive.
        quizId: quizId.toLowerCase(),
        questionsCreated: questions.length,
        questions: questions.map(toQuizQuestionDetail),
      };
      return { body: { success: true, data } };
    });
  }
}

/** The change takes the ETag of the quiz of the path in If-Match. */
export function ChangesQuiz() {
  return Conditional(QuizzesService, async (quizzes, accountId, id) => {
    const quiz = await quizzes.getJson(accountId, id);
    return { body: successBody(quiz), version: quiz.version };
  });
}

/** The quiz of the path: 404, then 403 for one that is not the caller's. */
function OwnedQuiz() {
  return applyDecorators(
    ChecksPath(QuizAuthoringService, (quizzes, accountId, id) =>
      quizzes.requireOwner(accountId, id),
    ),
    ChangesQuiz(),
    Fails(...OWNED_QUIZ),
  );
}
