import { Body, Controller, Param, Post, UseInterceptors } from '@nestjs/common';
import { NeedsPlan } from '../access/api-keys/api-key.guard';
import { CurrentCaller, type Caller } from '../access/api-keys/caller';
import { toQuizQuestionDetail } from '../catalog/responses';
import { JsonBodyInterceptor } from '../platform/http/request/json-body.interceptor';
import { IdempotencyInterceptor, Keyed } from '../platform/idempotency/idempotency.interceptor';
import { IdempotencyService, type KeyedRequest } from '../platform/idempotency/idempotency.service';
import { Documented } from '../platform/openapi/operation';
import { CREATE_QUIZ, IMPORT_QUESTIONS } from './authoring.openapi';
import { BatchImportRequest } from './questions/batch-import.request';
import { BatchImportService } from './questions/batch-import.service';
import { CreateQuizRequest } from './quizzes/create-quiz.request';
import { OwnedQuizInterceptor } from './quizzes/owned-quiz.interceptor';
import { QuizAuthoringService } from './quizzes/quiz-authoring.service';
import type { NewQuiz } from './quizzes/quiz-writing.queries';

/** Specification 4.4 and 4.7. The interceptors run after the guards and in their order (contract). */
@Controller('quizzes')
export class AuthoringController {
  constructor(
    private readonly quizzes: QuizAuthoringService,
    private readonly batches: BatchImportService,
    private readonly answers: IdempotencyService,
  ) {}

  @Documented(CREATE_QUIZ)
  @NeedsPlan()
  @UseInterceptors(JsonBodyInterceptor, IdempotencyInterceptor)
  @Post()
  create(
    @CurrentCaller() { accountId }: Caller,
    @Keyed() request: KeyedRequest | null,
    @Body() body: CreateQuizRequest,
  ) {
    return this.answers.once(request, async (tx) => {
      const quiz = await this.quizzes.createIn(tx, accountId, body);
      return {
        location: `/api/v1/quizzes/${quiz.id}`,
        body: { success: true, data: toCreatedQuiz(quiz) },
      };
    });
  }

  @Documented(IMPORT_QUESTIONS)
  @NeedsPlan()
  @UseInterceptors(JsonBodyInterceptor, IdempotencyInterceptor, OwnedQuizInterceptor)
  @Post(':id/questions/batch')
  importBatch(
    @CurrentCaller() { accountId }: Caller,
    @Keyed() request: KeyedRequest | null,
    @Param('id') quizId: string,
    @Body() body: BatchImportRequest,
  ) {
    return this.answers.once(request, async (tx) => {
      const questions = await this.batches.importIn(tx, accountId, quizId, body.questions);
      const data = {
        // In the quiz's own spelling, whatever the path's: ids are found in any case.
        quizId: quizId.toLowerCase(),
        questionsCreated: questions.length,
        questions: questions.map(toQuizQuestionDetail),
      };
      return { body: { success: true, data } };
    });
  }
}

/** CreatedQuiz (specification, part 2) */
const toCreatedQuiz = (quiz: NewQuiz) => ({
  id: quiz.id,
  title: quiz.title,
  description: quiz.description,
  category: quiz.category,
  categoryId: quiz.categoryId,
  difficulty: quiz.difficulty,
  tags: quiz.tags,
  published: quiz.published,
  featured: quiz.featured,
});
