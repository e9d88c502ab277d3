import { applyDecorators, Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { NeedsKeyForFile } from '../../access/api-keys/api-key.guard';
import type { Caller } from '../../access/api-keys/caller';
import { ChecksAccess } from '../../access/api-keys/checks-access.decorator';
import { CurrentCaller } from '../../access/api-keys/current-caller.decorator';
import { PageMeta } from '../../catalog/pages.dto';
import { NOT_OWNER, QUIZ_ID, QUIZ_NOT_FOUND } from '../../catalog/quizzes/quizzes.dto';
import { Endpoints, PathId, ResponseHeader, Sends } from '../../platform/openapi/endpoint';
import { Fails } from '../../platform/openapi/failures';
import {
  ListAttemptsQuery,
  PAGE_TOO_LARGE,
  QuizStatisticsResource,
  StatisticsQuery,
  SubmittedAttempt,
} from './results.dto';
import { ResultsService, toQuizStatistics } from './results.service';
import { attemptsFile, csvResponse, statisticsFile } from './results-csv';

const CSV = { 'text/csv': { type: 'string', description: 'With `format=csv`.' } };

const NAME = 'attachment; filename="rivers-of-europe-attempts.csv"';

/** Results of a quiz (docs/playing.md#results): an extension of the specification that follows its rules. */
@Endpoints('Playing')
@Controller('quizzes/:id')
export class ResultsController {
  constructor(private readonly results: ResultsService) {}

  /**
   * List the attempts at a quiz
   * @remarks Submitted attempts with their answers, newest first, for the owner of the quiz and administrators. They
   * are kept for 90 days. A page with more than 16 MiB of answers is refused: set a smaller `limit`. A CSV file has all
   * attempts, up to 500,000 cells and 32 MiB.
   * @returns A page of attempts.
   */
  @PathId(...QUIZ_ID)
  @Sends([SubmittedAttempt], PageMeta, CSV)
  @NeedsKeyForFile()
  @ResultsOfQuiz()
  @Fails(PAGE_TOO_LARGE)
  @Get('attempts')
  async listQuizAttempts(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Query() { format, since, limit, offset }: ListAttemptsQuery,
    @Res({ passthrough: true }) response: Response,
  ) {
    if (format === 'csv')
      return csvResponse(
        response,
        await attemptsFile(await this.results.allAttempts(caller, id, since)),
      );
    const { attempts, total } = await this.results.attempts(caller, id, { since, limit, offset });
    return { success: true, data: attempts, meta: { total, limit, offset } };
  }

  /**
   * Get the statistics of a quiz
   * @remarks Averages, and for each question how many players answered it correctly and how many chose which answer,
   * for the owner of the quiz and administrators. From 30 attempts on with Moodle’s item analysis, and flags for
   * questions to look at.
   * @returns The statistics.
   */
  @PathId(...QUIZ_ID)
  @Sends(QuizStatisticsResource, undefined, CSV)
  @NeedsKeyForFile()
  @ResultsOfQuiz()
  @Get('statistics')
  async getQuizStatistics(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Query() { format }: StatisticsQuery,
    @Res({ passthrough: true }) response: Response,
  ) {
    const statistics = await this.results.statistics(caller, id);
    if (format === 'csv') return csvResponse(response, statisticsFile(statistics));
    return { success: true, data: toQuizStatistics(statistics) };
  }
}

/** 404 for an unknown quiz, 403 for another account's. */
function ResultsOfQuiz() {
  return applyDecorators(
    ChecksAccess(ResultsService, (results, caller, id) => results.quiz(caller, id)),
    ResponseHeader('Content-Disposition', 'With `format=csv`: a name for the file.', NAME, {
      required: false,
    }),
    Fails(QUIZ_NOT_FOUND, NOT_OWNER),
  );
}
