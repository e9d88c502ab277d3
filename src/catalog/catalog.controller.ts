import { Controller, Get, Header, Param, Query, Req, Res, UseInterceptors } from '@nestjs/common';
import type { Request, Response } from 'express';
import {
  CurrentCaller,
  KeyScope,
  NeedsKey,
  requireScope,
  viewerOf,
  type Caller,
} from '../access/api-keys/api-key.guard';
import { SendsJsonText, successBody } from '../platform/http/server/text-response';
import { versioned } from '../platform/http/request/if-match';
import { readQuery } from '../platform/http/request/validation.pipe';
import { JsonOnly } from '../platform/http/request/json-only.guard';
import { Endpoint, PathId, Sends, SendsOneOf, TakesQuery } from '../platform/openapi/endpoint';
import { Fails } from '../platform/openapi/failures';
import {
  BrowseQuestionsQuery,
  ListQuizzesQuery,
  QuestionFilterQuery,
  QuizQuestionsQuery,
} from './catalog.requests';
import { DiscoveryService } from './discovery/discovery.service';
import {
  PaginationMeta,
  QuestionCounts,
  QuizQuestionsMeta,
  paginationMeta,
  PageMeta,
} from './pages.resources';
import { cursorOf } from './questions/cursor.rules';
import { newSeed, QuestionsService } from './questions/questions.service';
import { QuizzesService } from './quizzes/quizzes.service';
import { ReadCacheInterceptor } from './read-cache.interceptor';
import {
  BrowseQuestion,
  Metadata,
  QUESTION_ID,
  QUESTION_NOT_FOUND,
  QUIZ_ID,
  QUIZ_NOT_FOUND,
  QuizDetail,
  QuizListItem,
  QuizQuestion,
  Topic,
  toQuizQuestion,
} from './resources';

/**
 * The same for everybody. Together with the service's own caching, these seconds stay well below the contract's 60.
 */
const OPEN = 'public, max-age=30';

/** Reading (specification 4.1 to 4.3, 4.5 and 4.6). */
@UseInterceptors(ReadCacheInterceptor)
@Controller()
export class CatalogController {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly quizzes: QuizzesService,
    private readonly questions: QuestionsService,
  ) {}

  @Endpoint(
    'Discovery',
    'getMetadata',
    'Get the metadata',
    'Difficulties, question types, the categories and tags in use, and totals. Counts public content; at most a minute old.',
  )
  @Sends('The metadata.', Metadata)
  @JsonOnly()
  @Header('Cache-Control', OPEN)
  @Get('metadata')
  async metadata() {
    return { success: true, data: await this.discovery.metadata() };
  }

  @Endpoint(
    'Discovery',
    'listCategories',
    'List topics and categories',
    'Every topic with its categories. At most a minute old.',
  )
  @Sends('The topics.', { listOf: Topic, description: 'The topics.' })
  @JsonOnly()
  @Header('Cache-Control', OPEN)
  @Get('categories')
  async categories() {
    return { success: true, data: await this.discovery.topics() };
  }

  @Endpoint(
    'Quizzes',
    'listQuizzes',
    'List and search quizzes',
    'Quizzes that are published and approved, and your own; with `mine=true` only your own. All filters must match. Empty filters are ignored.',
  )
  @Sends(
    'A page of quizzes.',
    { listOf: QuizListItem, description: 'The quizzes of this page.' },
    PageMeta,
  )
  @NeedsKey()
  @KeyScope('read', 'play')
  @SendsJsonText()
  @Get('quizzes')
  async listQuizzes(@CurrentCaller() caller: Caller, @Query() query: ListQuizzesQuery) {
    const { limit, offset, mine } = query;
    if (mine) requireScope(caller, 'read');
    const { quizzes, total } = await this.quizzes.list(viewerOf(caller), query);
    return successBody(quizzes, { total, limit, offset });
  }

  @Endpoint(
    'Quizzes',
    'getQuiz',
    'Get a quiz',
    'A quiz with all its questions and answers, the correct ones marked. Of your own quizzes also drafts, and changes that wait for review.',
  )
  @PathId(...QUIZ_ID)
  @Sends('The quiz.', QuizDetail)
  @Fails(QUIZ_NOT_FOUND)
  @NeedsKey()
  @SendsJsonText()
  @Get('quizzes/:id')
  async getQuiz(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Res({ passthrough: true }) response: Response,
  ) {
    const quiz = await this.quizzes.getJson(viewerOf(caller), id);
    return versioned(response, quiz.version, successBody(quiz));
  }

  /** `quiz_id` selects the mode, and so the rules for the query. */
  @Endpoint(
    'Questions',
    'findQuestions',
    'Get the questions of a quiz, or browse all',
    'Two modes, selected by `quiz_id`. A quiz that does not exist, or that you may not see, has no questions: that is not an error.',
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
  @Get('questions')
  findQuestions(@CurrentCaller() caller: Caller, @Req() { query }: Request) {
    const ofOneQuiz = Object.keys(query).some((key) => /^quiz_id(\[|$)/.test(key));
    return ofOneQuiz
      ? this.ofQuiz(caller, readQuery(QuizQuestionsQuery, query))
      : this.browse(caller, query);
  }

  @Endpoint(
    'Questions',
    'countQuestions',
    'Count questions',
    'How many questions browsing with the same filters finds: in all, and by category, difficulty and type. A question that you exclude does not count.',
  )
  @Sends('The counts.', QuestionCounts)
  @NeedsKey()
  @SendsJsonText()
  @Get('questions/counts')
  async countQuestions(@CurrentCaller() caller: Caller, @Query() query: QuestionFilterQuery) {
    return successBody(await this.questions.countsJson(viewerOf(caller), query));
  }

  @Endpoint(
    'Questions',
    'getQuestion',
    'Get a question',
    'A question with its answers, the correct ones marked. You see it as long as you see its quiz.',
  )
  @PathId(...QUESTION_ID)
  @Sends('The question.', BrowseQuestion)
  @Fails(QUESTION_NOT_FOUND)
  @NeedsKey()
  @SendsJsonText()
  @Get('questions/:id')
  async getQuestion(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Res({ passthrough: true }) response: Response,
  ) {
    const question = await this.questions.getJson(viewerOf(caller), id);
    return versioned(response, question.version, successBody(question));
  }

  private async ofQuiz(caller: Caller, { quiz_id: id, include_answers }: QuizQuestionsQuery) {
    // No 404 in 4.6: an unknown or invisible quiz has no questions.
    const quiz = await this.quizzes.find(viewerOf(caller), id);
    const data = quiz
      ? quiz.questions.map((question) => toQuizQuestion(question, quiz, include_answers))
      : [];
    const meta = { total: data.length, quizId: quiz?.id ?? id };
    return JSON.stringify({ success: true, data, meta });
  }

  private async browse(caller: Caller, sent: Request['query']) {
    const query = readQuery(BrowseQuestionsQuery, sent);
    // Without a seed the links carry the one generated for this page, so following them repeats nothing.
    const seed = query.random ? (query.seed ?? newSeed()) : undefined;
    const viewer = viewerOf(caller);
    const { questions, count, total, last } = await this.questions.browse(viewer, query, seed);
    const { limit, offset } = query;
    const filters = seed === undefined ? sent : { ...sent, seed };
    const after = last && cursorOf(last);
    const meta = paginationMeta(filters, { total, pageTotal: count, limit, offset, after });
    return successBody(questions, meta);
  }
}
