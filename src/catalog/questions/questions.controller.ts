import { Controller, Get, Param, Query, Req, Res, UseInterceptors } from '@nestjs/common';
import type { Request, Response } from 'express';
import { viewerOf } from '../../access/accounts/scope.rules';
import { NeedsKey } from '../../access/api-keys/api-key.guard';
import type { Caller } from '../../access/api-keys/caller';
import { CurrentCaller } from '../../access/api-keys/current-caller.decorator';
import { versioned } from '../../platform/http/request/conditional.decorator';
import { readQuery } from '../../platform/http/request/validation.pipe';
import { SendsJsonText, successBody } from '../../platform/http/server/text-response';
import { Endpoints, PathId, Sends, SendsOneOf, TakesQuery } from '../../platform/openapi/endpoint';
import { Fails } from '../../platform/openapi/failures';
import { QuizzesService } from '../quizzes/quizzes.service';
import { ReadCacheInterceptor } from '../read-cache.interceptor';
import { RenderingService } from '../rendering/rendering.service';
import { pageCursorOf } from './cursor.rules';
import { paginationMeta } from './pagination.rules';
import {
  BrowseQuestion,
  BrowseQuestionsQuery,
  PaginationMeta,
  QUESTION_ID,
  QUESTION_NOT_FOUND,
  QuestionCounts,
  QuestionFilterQuery,
  QuizQuestion,
  QuizQuestionsMeta,
  QuizQuestionsQuery,
  SingleQuestion,
  toQuizQuestion,
} from './questions.dto';
import { newSeed, QuestionsService } from './questions.service';

/** Reading questions (specification 4.6). */
@UseInterceptors(ReadCacheInterceptor)
@Endpoints('Questions')
@Controller('questions')
export class QuestionsController {
  constructor(
    private readonly quizzes: QuizzesService,
    private readonly questions: QuestionsService,
    private readonly rendering: RenderingService,
  ) {}

  /**
   * Get the questions of a quiz, or browse all
   * @remarks Two modes, selected by `quiz_id`. A quiz that does not exist, or that you may not see, has no questions:
   * that is not an error. By `text`, the first 1,000 are found, `meta.total` is at most 1,000, and random questions are
   * drawn from these: add words or filters to narrow the search.
   * @returns The questions of the quiz, or a page of all that match.
   */
  // `quiz_id` selects the mode, and so the rules for the query.
  @TakesQuery(QuizQuestionsQuery, BrowseQuestionsQuery)
  @SendsOneOf({
    browse: { summary: 'Browsing', data: [BrowseQuestion], meta: PaginationMeta },
    quiz: { summary: 'With quiz_id', data: [QuizQuestion], meta: QuizQuestionsMeta },
  })
  @NeedsKey()
  @SendsJsonText()
  @Get()
  findQuestions(@CurrentCaller() caller: Caller, @Req() { query }: Request) {
    const ofOneQuiz = Object.keys(query).some((key) => /^quiz_id(\[|$)/.test(key));
    return ofOneQuiz
      ? this.ofQuiz(caller, readQuery(QuizQuestionsQuery, query))
      : this.browse(caller, query);
  }

  /**
   * Count questions
   * @remarks How many questions browsing with the same filters finds: in all, and by category, difficulty and type. A
   * question that you exclude does not count. By `text`, the first 1,000 count.
   * @returns The counts.
   */
  @Sends(QuestionCounts)
  @NeedsKey()
  @SendsJsonText()
  @Get('counts')
  async countQuestions(@CurrentCaller() caller: Caller, @Query() query: QuestionFilterQuery) {
    return successBody(await this.questions.countsJson(viewerOf(caller), query));
  }

  /**
   * Get a question
   * @remarks A question with its answers, the correct ones marked. You see it as long as you see its quiz.
   * @returns The question.
   */
  @PathId(...QUESTION_ID)
  @Sends(SingleQuestion)
  @Fails(QUESTION_NOT_FOUND)
  @NeedsKey()
  @SendsJsonText()
  @Get(':id')
  async getQuestion(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Res({ passthrough: true }) response: Response,
  ) {
    const question = await this.questions.getJson(viewerOf(caller), id);
    return versioned(response, question.version, successBody(question));
  }

  private async ofQuiz(
    caller: Caller,
    { quiz_id: id, include_answers, include }: QuizQuestionsQuery,
  ) {
    // No 404 in 4.6: an unknown or invisible quiz has no questions.
    const quiz = await this.quizzes.find(viewerOf(caller), id);
    const isRendered = include.includes('html');
    const texts = isRendered ? await this.rendering.forApi(quiz?.questions ?? []) : undefined;
    const data = quiz
      ? quiz.questions.map((it) => ({
          ...toQuizQuestion(it, quiz, include_answers, texts),
          ...(include.includes('language') && { language: quiz.language }),
        }))
      : [];
    const meta = { total: data.length, quizId: quiz?.id ?? id };
    return JSON.stringify({ success: true, data, meta });
  }

  private async browse(caller: Caller, sent: Request['query']) {
    const query = readQuery(BrowseQuestionsQuery, sent);
    // Without a seed the links carry the one generated for this page, so following them repeats nothing.
    const seed = query.random ? (query.seed ?? newSeed()) : undefined;
    const viewer = viewerOf(caller);
    const isRendered = query.include.includes('html');
    const page = await this.questions.browse(viewer, query, seed, {
      format: isRendered,
      language: query.include.includes('language'),
    });
    const { count, total, last } = page;
    const questions = isRendered ? await this.questions.withHtml(page.questions) : page.questions;
    const { limit, offset } = query;
    const filters = seed === undefined ? sent : { ...sent, seed };
    const after = last && pageCursorOf(last, offset + limit);
    const meta = paginationMeta(filters, { total, pageTotal: count, limit, offset, after });
    return successBody(questions, meta);
  }
}
