import { Controller, HttpCode, Param, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { isForPages } from '../../access/accounts/scope.rules';
import { NeedsKey } from '../../access/api-keys/api-key.guard';
import type { Caller } from '../../access/api-keys/caller';
import { CurrentCaller } from '../../access/api-keys/current-caller.decorator';
import { KeyScope } from '../../access/api-keys/key-scope.decorator';
import { OfPlayers } from '../../platform/hardening/turns.interceptor';
import { Endpoints, PathId, Sends } from '../../platform/openapi/endpoint';
import { Fails } from '../../platform/openapi/failures';
import { OwnAttempt } from '../attempts/attempt-checks.decorator';
import { ATTEMPT_EXPIRED, ATTEMPT_ID } from '../attempts/attempts.dto';
import { Score } from './submission.dto';
import { SubmissionService } from './submission.service';

/** Submitting an attempt (docs/playing.md). */
@KeyScope(['play'])
@Endpoints('Playing')
@Controller('attempts/:id/submit')
export class SubmissionController {
  constructor(private readonly submissions: SubmissionService) {}

  /**
   * Finish an attempt
   * @remarks Needs no body. Returns the score and the solutions; unanswered questions count as wrong. Repeating it
   * returns the same response and changes nothing.
   * @returns The score.
   */
  @PathId(...ATTEMPT_ID)
  @Sends(Score)
  @Fails(ATTEMPT_EXPIRED)
  @NeedsKey()
  @OwnAttempt()
  @HttpCode(200)
  @OfPlayers('submissions')
  @Post()
  async submitAttempt(
    @CurrentCaller() caller: Caller,
    @Param('id') attemptId: string,
    @Req() { ip }: Request,
  ) {
    const by = { address: isForPages(caller) ? (ip ?? '') : undefined };
    return { success: true, data: await this.submissions.submit(caller.accountId, attemptId, by) };
  }
}
