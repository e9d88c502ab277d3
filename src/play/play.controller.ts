import {
  applyDecorators,
  Body,
  Controller,
  Get,
  HttpCode,
  Param,
  Post,
  Req,
  type OnModuleInit,
} from '@nestjs/common';
import type { Request } from 'express';
import {
  ChecksPath,
  CurrentCaller,
  KeyScope,
  NeedsKey,
  viewerOf,
  type Caller,
} from '../access/api-keys/api-key.guard';
import { isForPages } from '../access/accounts/scope.rules';
import { OfPlayers } from '../platform/hardening/turns.interceptor';
import { QUIZ_ID, QUIZ_NOT_FOUND } from '../catalog/quizzes/quizzes.dto';
import { JsonBody } from '../platform/http/request/json-body.interceptor';
import { Keyed, Repeatable } from '../platform/idempotency/repeatable';
import { IdempotencyService, type KeyedRequest } from '../platform/idempotency/idempotency.service';
import { Endpoints, PathId, Sends, SendsOneOf } from '../platform/openapi/endpoint';
import { Fails } from '../platform/openapi/failures';
import {
  AnswerRequest,
  DrawAttemptRequest,
  StartAttemptRequest,
} from './attempts/attempt.requests';
import { AttemptsService, type PreparedAttempt } from './attempts/attempts.service';
import { LeaderboardService } from './leaderboard/leaderboard.service';
import {
  ANSWER_REVEALED,
  Attempt,
  ATTEMPT_EXPIRED,
  ATTEMPT_ID,
  ATTEMPT_NOT_FOUND,
  ATTEMPT_SUBMITTED,
  AttemptState,
  LeaderboardEntry,
  NO_ATTEMPTS_LEFT,
  NO_MATCH,
  TOO_MANY_VERSIONS,
  NOTHING_TO_PLAY,
  RecordedAnswer,
  Result,
  Score,
  TIME_OVER,
  toAttemptState,
  toRecordedAnswer,
  toResult,
  toStartedAttempt,
} from './play.resources';
import { SubmissionService } from './submission/submission.service';
import { PlayableQuizzesService } from './attempts/playable-quizzes.service';

/** Playing (docs/playing.md): an extension of the specification that follows its rules. */
@Endpoints('Playing')
@Controller()
export class PlayController implements OnModuleInit {
  constructor(
    private readonly attempts: AttemptsService,
    private readonly submissions: SubmissionService,
    private readonly leaderboard: LeaderboardService,
    private readonly idempotency: IdempotencyService,
  ) {}

  onModuleInit(): void {
    this.idempotency.replayFrom('attempt', async (id) => startedBody(await this.attempts.get(id)));
  }

  /**
   * Start playing a quiz
   * @remarks Gives the questions without their solutions. The attempt can be played for 24 hours, with the quiz as it
   * is now.
   * @returns The attempt.
   */
  @PathId(...QUIZ_ID)
  @Sends(Attempt)
  @Fails(NOTHING_TO_PLAY, NO_ATTEMPTS_LEFT, TOO_MANY_VERSIONS)
  @NeedsKey()
  @KeyScope('play')
  @applyDecorators(JsonBody(), Repeatable(), VisibleQuiz())
  @OfPlayers()
  @Post('quizzes/:id/attempts')
  async startAttempt(
    @CurrentCaller() caller: Caller,
    @Keyed() request: KeyedRequest | null,
    @Param('id') quizId: string,
    @Body() body: StartAttemptRequest,
  ) {
    return this.begin(request, await this.attempts.prepare(caller.accountId, quizId, body));
  }

  /**
   * Start playing across quizzes
   * @remarks Draws random questions of all quizzes that match a filter, and gives them without their solutions. The
   * attempt can be played for 24 hours and is deleted after 48. It counts for no leaderboard and no plays of a quiz,
   * and sends no events.
   * @returns The attempt.
   */
  @Sends(Attempt)
  @Fails(NO_MATCH)
  @NeedsKey()
  @KeyScope('play')
  @applyDecorators(JsonBody(), Repeatable())
  @OfPlayers()
  @Post('attempts')
  async startAttemptAcrossQuizzes(
    @CurrentCaller() caller: Caller,
    @Keyed() request: KeyedRequest | null,
    @Body() body: DrawAttemptRequest,
  ) {
    const { accountId } = caller;
    return this.begin(request, await this.attempts.prepareDrawn(accountId, viewerOf(caller), body));
  }

  private async begin(request: KeyedRequest | null, prepared: PreparedAttempt) {
    // It is one statement and needs no transaction of its own.
    if (!request) return { body: startedBody(await this.attempts.startIn(null, prepared)) };
    return this.idempotency.once(request, async (tx) => {
      const attempt = await this.attempts.startIn(tx, prepared);
      return { body: startedBody(attempt), madeFrom: { kind: 'attempt', id: attempt.id } };
    });
  }

  /**
   * Get an attempt
   * @remarks The attempt as it was started, without solutions; once it is submitted also its score.
   * @returns The attempt.
   */
  @PathId(...ATTEMPT_ID)
  @Sends(AttemptState)
  @Fails(ATTEMPT_NOT_FOUND)
  @NeedsKey()
  @KeyScope('play')
  @OfPlayers()
  @Get('attempts/:id')
  async getAttempt(@CurrentCaller() caller: Caller, @Param('id') attemptId: string) {
    const attempt = await this.attempts.get(attemptId, caller.accountId);
    return { success: true, data: toAttemptState(attempt) };
  }

  /**
   * Answer a question
   * @remarks Send `answerIds` for MULTIPLE_CHOICE and TRUE_FALSE, `text` for OPEN_ENDED. Answer again as often as you
   * like: the last answer counts, with `reveal` the first.
   * @returns The recorded answer; with `reveal` also whether it is correct.
   */
  @PathId(...ATTEMPT_ID)
  @SendsOneOf({
    recorded: { summary: 'Recorded', data: RecordedAnswer },
    revealed: { summary: 'With reveal', data: Result },
  })
  @Fails(ATTEMPT_EXPIRED, TIME_OVER, ATTEMPT_SUBMITTED, ANSWER_REVEALED)
  @NeedsKey()
  @KeyScope('play')
  @applyDecorators(JsonBody(), OwnAttempt())
  @HttpCode(200)
  @OfPlayers()
  @Post('attempts/:id/answers')
  async answerQuestion(
    @CurrentCaller() caller: Caller,
    @Param('id') attemptId: string,
    @Body() body: AnswerRequest,
  ) {
    const { answer, revealed } = await this.attempts.answer(caller.accountId, attemptId, body);
    return {
      success: true,
      data: revealed ? toResult(revealed, answer) : toRecordedAnswer(answer),
    };
  }

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
  @KeyScope('play')
  @OwnAttempt()
  @HttpCode(200)
  @OfPlayers()
  @Post('attempts/:id/submit')
  async submitAttempt(
    @CurrentCaller() caller: Caller,
    @Param('id') attemptId: string,
    @Req() { ip }: Request,
  ) {
    const by = { address: isForPages(caller) ? (ip ?? '') : undefined };
    return { success: true, data: await this.submissions.submit(caller.accountId, attemptId, by) };
  }

  /**
   * Get the leaderboard of a quiz
   * @remarks The ten best players, each with their first attempt: by score, then by time. An attempt without an answer
   * is not ranked.
   * @returns At most ten entries, the best first.
   */
  @PathId(...QUIZ_ID)
  @Sends({ listOf: LeaderboardEntry, maxItems: 10 })
  @NeedsKey()
  @KeyScope('read', 'play')
  @VisibleQuiz()
  @Get('quizzes/:id/leaderboard')
  async getLeaderboard(@Param('id') quizId: string) {
    return { success: true, data: await this.leaderboard.top(quizId) };
  }
}

const startedBody = (attempt: Parameters<typeof toStartedAttempt>[0]) => ({
  success: true,
  data: toStartedAttempt(attempt),
});

/** 404 for a quiz that the caller may not see. */
function VisibleQuiz() {
  return applyDecorators(
    ChecksPath(PlayableQuizzesService, (quizzes, _, id, caller) =>
      quizzes.find(viewerOf(caller), id),
    ),
    Fails(QUIZ_NOT_FOUND),
  );
}

/** 404 for an attempt of another account. */
function OwnAttempt() {
  return applyDecorators(
    ChecksPath(AttemptsService, (attempts, accountId, id) => attempts.requireOwn(accountId, id)),
    Fails(ATTEMPT_NOT_FOUND),
  );
}
