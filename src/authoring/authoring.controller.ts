import { Body, Controller, Param, Post, Res, UseInterceptors } from '@nestjs/common';
import type { Response } from 'express';
import { NeedsPlan } from '../access/api-key.guard';
import { CurrentCaller, type Caller } from '../access/caller';
import { toQuizQuestionDetail } from '../catalog/responses';
import { JsonBodyInterceptor } from '../platform/http/json-body.interceptor';
import { Documented } from '../platform/openapi/operation';
import { CREATE_QUIZ, IMPORT_QUESTIONS } from './authoring.openapi';
import { BatchImportRequest } from './batch-import.request';
import { BatchImportService } from './batch-import.service';
import { CreateQuizRequest } from './create-quiz.request';
import { OwnedQuizInterceptor } from './owned-quiz.interceptor';
import { QuizAuthoringService } from './quiz-authoring.service';
import type { NewQuiz } from './quiz-writing.queries';

/** Specification 4.4 and 4.7. The interceptors run after the guards and in their order (contract). */
@Controller('quizzes')
export class AuthoringController {
  constructor(
    private readonly quizzes: QuizAuthoringService,
    private readonly batches: BatchImportService,
  ) {}

  @Documented(CREATE_QUIZ)
  @NeedsPlan()
  @UseInterceptors(JsonBodyInterceptor)
  @Post()
  async create(
    @CurrentCaller() caller: Caller,
    @Body() body: CreateQuizRequest,
    @Res({ passthrough: true }) response: Response,
  ) {
    const quiz = await this.quizzes.create(caller.accountId, body);
    response.location(`/api/v1/quizzes/${quiz.id}`);
    return { success: true, data: toCreatedQuiz(quiz) };
  }

  @Documented(IMPORT_QUESTIONS)
  @NeedsPlan()
  @UseInterceptors(JsonBodyInterceptor, OwnedQuizInterceptor)
  @Post(':id/questions/batch')
  async importBatch(
    @CurrentCaller() caller: Caller,
    @Param('id') quizId: string,
    @Body() body: BatchImportRequest,
  ) {
    const questions = await this.batches.import(caller.accountId, quizId, body.questions);
    return {
      success: true,
      data: {
        // In the quiz's own spelling, whatever the path's: ids are found in any case.
        quizId: quizId.toLowerCase(),
        questionsCreated: questions.length,
        questions: questions.map(toQuizQuestionDetail),
      },
    };
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
