import { Controller, Get, Req } from '@nestjs/common';
import type { Request } from 'express';
import { randomBytes } from 'node:crypto';
import { NeedsKey, CurrentCaller, type Caller } from '../../access/api-keys/api-key.guard';
import { SendsJsonText, successBody } from '../../platform/http/server/text-response';
import { Endpoint, SendsOneOf, TakesQuery } from '../../platform/openapi/endpoint';
import { readQuery } from '../../platform/http/request/validation.pipe';
import { BrowseQuestionsQuery, QuizQuestionsQuery } from './browse-questions.query';
import { paginationMeta } from '../pagination.rules';
import { QuestionsService } from './questions.service';
import { QuizzesService } from '../quizzes/quizzes.service';
import { BrowseQuestion, PaginationMeta, QuizQuestion, QuizQuestionsMeta } from '../resources';
import { toQuizQuestion } from '../responses';

/** What links are relative to; however the request itself spelled it (`/api/v1/questions/`). */
const PATH = '/api/v1/questions';

const newSeed = () => randomBytes(9).toString('base64url');

/** Specification 4.6. The presence of `quiz_id` chooses the mode, and so which rules the query has. */
@Controller('questions')
export class QuestionsController {
  constructor(
    private readonly quizzes: QuizzesService,
    private readonly questions: QuestionsService,
  ) {}

  @Endpoint(
    'Questions',
    'findQuestions',
    'Get the questions of a quiz, or browse all',
    'Two modes, chosen by `quiz_id`. Of a quiz that is not there, or not for you, you get no questions: that is no failure.',
  )
  @TakesQuery(QuizQuestionsQuery, BrowseQuestionsQuery)
  @SendsOneOf('The questions of the quiz, or a page of all that match.', {
    browse: {
      summary: 'Browsing',
      data: { listOf: BrowseQuestion, description: 'The questions of this page.' },
      meta: PaginationMeta,
    },
    quiz: {
      summary: 'With quiz_id',
      data: { listOf: QuizQuestion, description: 'The questions, in order.' },
      meta: QuizQuestionsMeta,
    },
  })
  @NeedsKey()
  @SendsJsonText()
  @Get()
  find(@CurrentCaller() caller: Caller, @Req() { query }: Request) {
    const ofOneQuiz = Object.keys(query).some((key) => /^quiz_id(\[|$)/.test(key));
    return ofOneQuiz
      ? this.ofQuiz(caller, readQuery(QuizQuestionsQuery, query))
      : this.browse(caller, query);
  }

  private async ofQuiz(caller: Caller, { quiz_id: id, include_answers }: QuizQuestionsQuery) {
    // No 404 in 4.6: a quiz that is not there or not to be seen has no questions.
    const quiz = await this.quizzes.find(caller.accountId, id);
    const data = quiz
      ? quiz.questions.map((question) => toQuizQuestion(question, quiz, include_answers))
      : [];
    const meta = { total: data.length, quizId: quiz?.id ?? id };
    return JSON.stringify({ success: true, data, meta });
  }

  private async browse(caller: Caller, sent: Request['query']) {
    const query = readQuery(BrowseQuestionsQuery, sent);
    // Without a seed the links carry the one that was made for this page: following them repeats nothing.
    const seed = query.random ? (query.seed ?? newSeed()) : undefined;
    const { questions, count, total } = await this.questions.browse(caller.accountId, query, seed);
    const { limit, offset } = query;
    const filters = seed === undefined ? sent : { ...sent, seed };
    const meta = paginationMeta(PATH, filters, { total, pageTotal: count, limit, offset });
    return successBody(questions, meta);
  }
}
