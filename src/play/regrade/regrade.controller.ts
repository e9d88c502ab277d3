import { Body, Controller, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { NeedsKey } from '../../access/api-keys/api-key.guard';
import type { Caller } from '../../access/api-keys/caller';
import { ChecksAccess } from '../../access/api-keys/checks-access.decorator';
import { CurrentCaller } from '../../access/api-keys/current-caller.decorator';
import { KeyScope } from '../../access/api-keys/key-scope.decorator';
import { NOT_OWNER, QUIZ_ID, QUIZ_NOT_FOUND } from '../../catalog/quizzes/quizzes.dto';
import { JsonBody } from '../../platform/http/request/json-body.interceptor';
import { LIMITS } from '../../platform/limits/limits';
import { AlsoSends, Endpoints, PathId, Sends } from '../../platform/openapi/endpoint';
import { Fails } from '../../platform/openapi/failures';
import { TOO_MANY_VERSIONS } from '../attempts/attempts.dto';
import { ResultsService } from '../results/results.service';
import { Regraded, RegradeRequest } from './regrade.dto';
import { RegradeService } from './regrade.service';

const { regradedAttempts } = LIMITS.requests;

const NOT_YOURS = 'This quiz belongs to another account. Only its owner scores attempts again.';

/** Scoring attempts again (docs/playing.md#results): an extension of the specification that follows its rules. */
@Endpoints('Playing')
@Controller('quizzes/:id/regrade')
export class RegradeController {
  constructor(private readonly regrades: RegradeService) {}

  /**
   * Score the attempts at a quiz again
   * @remarks Attempts keep the key that their questions had when they began. This gives them the present one: scores,
   * leaderboard and statistics follow. It can be repeated.
   * @returns What was scored again.
   */
  @PathId(...QUIZ_ID)
  @Sends(Regraded)
  @AlsoSends(
    202,
    `More than ${regradedAttempts.value.toLocaleString('en')} attempts are scored in the background, and so are those of further requests for the same quiz until then. A notice in the dashboard and the event quiz.regraded say when they are done.`,
    Regraded,
    { example: { attempts: 25_000, changed: null }, headers: {} },
  )
  @Fails(QUIZ_NOT_FOUND, NOT_OWNER, TOO_MANY_VERSIONS)
  @NeedsKey()
  @KeyScope(['write'])
  @ChecksAccess(ResultsService, (results, { accountId }, id) =>
    results.quiz({ accountId, isAdmin: false }, id, NOT_YOURS, true),
  )
  @JsonBody()
  @HttpCode(200)
  @Post()
  async regradeQuiz(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() { questionIds }: RegradeRequest,
    @Res({ passthrough: true }) response: Response,
  ) {
    const data = await this.regrades.regrade(caller, id, questionIds ?? null);
    response.status(data.changed === null ? 202 : 200);
    return { success: true, data };
  }
}
