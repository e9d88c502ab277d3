import {
  All,
  Controller,
  Get,
  NotFoundException,
  Req,
  UseFilters,
  UseGuards,
} from '@nestjs/common';
import type { Request } from 'express';
import { QuestionTokens } from '../../access/attempt-limits/question-tokens.service';
import { OpenTdbEnabled, OpenTdbErrors } from './opentdb.requests';
import { categoryNumber, CODE, encoded, parameter, questionsRequest } from './opentdb.rules';
import { OpenTdbService, type QuestionCount } from './opentdb.service';

/**
 * The endpoints of OpenTDB (https://opentdb.com/api_config.php) with public questions of this service, so that its clients
 * work with another base URL. Its status is 200 for every code but 5. The parameters are read as OpenTDB reads them,
 * and an invalid one is code 2.
 */
@UseGuards(OpenTdbEnabled)
@UseFilters(OpenTdbErrors)
@Controller('opentdb')
export class OpenTdbController {
  constructor(
    private readonly openTdb: OpenTdbService,
    private readonly tokens: QuestionTokens,
  ) {}

  @Get('api.php')
  async getQuestions(@Req() { query }: Request) {
    const request = questionsRequest(query);
    if (!request) return { response_code: CODE.invalidParameter, results: [] };
    const { code, questions } = await this.openTdb.questions(request);
    const results = questions.map((question) => encoded(question, request.encode));
    return { response_code: code, results };
  }

  @Get('api_category.php')
  async listCategories() {
    return { trivia_categories: await this.openTdb.categories() };
  }

  @Get('api_count.php')
  async countQuestions(@Req() { query }: Request) {
    const category = categoryNumber(query);
    if (!category) return { response_code: CODE.invalidParameter };
    const counts = await this.openTdb.countByCategory();
    const { total, easy, medium, hard } = counts.get(category) ?? NONE;
    return {
      category_id: category,
      category_question_count: {
        total_question_count: total,
        total_easy_question_count: easy,
        total_medium_question_count: medium,
        total_hard_question_count: hard,
      },
    };
  }

  @Get('api_count_global.php')
  async countAll() {
    const counts = [...(await this.openTdb.countByCategory())];
    const overall = counts.reduce((sum, [, { total }]) => sum + total, 0);
    return {
      overall: globalCount(overall),
      categories: Object.fromEntries(counts.map(([id, { total }]) => [id, globalCount(total)])),
    };
  }

  @Get('api_token.php')
  async token(@Req() { query, ip }: Request) {
    const command = parameter(query, 'command');
    if (command === 'request')
      return {
        response_code: CODE.success,
        response_message: 'Token Generated Successfully!',
        token: await this.tokens.issue(ip ?? ''),
      };
    if (command !== 'reset')
      return { response_code: CODE.invalidParameter, response_message: 'Invalid Command!' };
    const token = parameter(query, 'token') ?? '';
    return (await this.tokens.reset(token))
      ? { response_code: CODE.success, token }
      : { response_code: CODE.tokenNotFound, response_message: 'Token Not Found!' };
  }

  /** A route, so that these requests are counted too. */
  @All('{*path}')
  notFound(): never {
    throw new NotFoundException();
  }
}

const NONE: QuestionCount = { total: 0, easy: 0, medium: 0, hard: 0 };

/** Only approved questions are public, so none is pending. */
const globalCount = (total: number) => ({
  total_num_of_questions: total,
  total_num_of_pending_questions: 0,
  total_num_of_verified_questions: total,
  total_num_of_rejected_questions: 0,
});
