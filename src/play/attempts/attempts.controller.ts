import { Body, Controller, Get, HttpCode, type OnModuleInit, Param, Post } from '@nestjs/common';
import { viewerOf } from '../../access/accounts/scope.rules';
import { NeedsKey } from '../../access/api-keys/api-key.guard';
import type { Caller } from '../../access/api-keys/caller';
import { CurrentCaller } from '../../access/api-keys/current-caller.decorator';
import { KeyScope } from '../../access/api-keys/key-scope.decorator';
import { QUIZ_ID } from '../../catalog/quizzes/quizzes.dto';
import { RenderingService } from '../../catalog/rendering/rendering.service';
import { OfPlayers } from '../../platform/hardening/turns.interceptor';
import { JsonBody } from '../../platform/http/request/json-body.interceptor';
import { Keyed, Repeatable } from '../../platform/idempotency/idempotency.interceptor';
import type { KeyedRequest } from '../../platform/idempotency/idempotency.rules';
import { IdempotencyService } from '../../platform/idempotency/idempotency.service';
import { Endpoints, PathId, Sends, SendsOneOf } from '../../platform/openapi/endpoint';
import { Fails } from '../../platform/openapi/failures';
import { OwnAttempt, VisibleQuiz } from './attempt-checks.decorator';
import {
  ANSWER_REVEALED,
  AnswerRequest,
  Attempt,
  ATTEMPT_EXPIRED,
  ATTEMPT_ID,
  ATTEMPT_NOT_FOUND,
  ATTEMPT_SUBMITTED,
  AttemptState,
  DrawAttemptRequest,
  NO_ATTEMPTS_LEFT,
  NO_MATCH,
  NO_TIME_FACTOR,
  NOTHING_TO_PLAY,
  RecordedAnswer,
  Result,
  StartAttemptRequest,
  TIME_OVER,
  toAttemptState,
  TOO_MANY_VERSIONS,
  toRecordedAnswer,
  toResult,
  toStartedAttempt,
} from './attempts.dto';
import { AttemptsService, type PreparedAttempt } from './attempts.service';

/** Starting and answering attempts (docs/playing.md): an extension of the specification that follows its rules. */
@KeyScope(['play'])
@Endpoints('Playing')
@Controller()
export class AttemptsController implements OnModuleInit {
  constructor(
    private readonly attempts: AttemptsService,
    private readonly idempotency: IdempotencyService,
    private readonly rendering: RenderingService,
  ) {}

  onModuleInit(): void {
    this.idempotency.replayFrom('attempt', async (id) =>
      this.startedBody(await this.attempts.get(id)),
    );
  }

  /**
   * Start playing a quiz
   * @remarks Gives the questions without their solutions. The attempt can be played for 24 hours, with the quiz as it
   * is now.
   * @returns The attempt.
   */
  @PathId(...QUIZ_ID)
  @Sends(Attempt)
  @Fails(NOTHING_TO_PLAY, NO_ATTEMPTS_LEFT, TOO_MANY_VERSIONS, NO_TIME_FACTOR)
  @NeedsKey()
  @VisibleQuiz()
  @Repeatable()
  @JsonBody()
  @OfPlayers('attempts')
  @Post('quizzes/:id/attempts')
  async startAttempt(
    @CurrentCaller() caller: Caller,
    @Keyed() request: KeyedRequest | null,
    @Param('id') quizId: string,
    @Body() body: StartAttemptRequest,
  ) {
    const { accountId } = caller;
    const viewer = viewerOf(caller);
    return this.begin(request, await this.attempts.prepare(accountId, viewer, quizId, body));
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
  @Repeatable()
  @JsonBody()
  @OfPlayers('attempts')
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
    if (!request) return { body: await this.startedBody(await this.attempts.start(prepared)) };
    return this.idempotency.once(request, async (tx) => {
      const attempt = await this.attempts.start(prepared, tx);
      return {
        body: await this.startedBody(attempt),
        madeFrom: { kind: 'attempt', id: attempt.id },
      };
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
  @OfPlayers('attempts')
  @Get('attempts/:id')
  async getAttempt(@CurrentCaller() caller: Caller, @Param('id') attemptId: string) {
    const attempt = await this.attempts.get(attemptId, caller.accountId);
    const texts = await this.rendering.forApi(attempt.questions);
    return { success: true, data: toAttemptState(attempt, texts) };
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
  @OwnAttempt()
  @JsonBody()
  @HttpCode(200)
  @OfPlayers('answers')
  @Post('attempts/:id/answers')
  async answerQuestion(
    @CurrentCaller() caller: Caller,
    @Param('id') attemptId: string,
    @Body() body: AnswerRequest,
  ) {
    const { answer, revealed } = await this.attempts.answer(caller.accountId, attemptId, body);
    if (!revealed) return { success: true, data: toRecordedAnswer(answer) };
    const texts = await this.rendering.forApi([revealed]);
    return { success: true, data: toResult(revealed, answer, texts) };
  }

  private async startedBody(attempt: Parameters<typeof toStartedAttempt>[0]) {
    const texts = await this.rendering.forApi(attempt.questions);
    return { success: true, data: toStartedAttempt(attempt, texts) };
  }
}
