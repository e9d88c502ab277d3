import {
  Body,
  Controller,
  Get,
  HttpCode,
  Param,
  Post,
  UseInterceptors,
  type OnModuleInit,
} from '@nestjs/common';
import { NeedsKey } from '../access/api-keys/api-key.guard';
import { CurrentCaller, type Caller } from '../access/api-keys/caller';
import { JsonBodyInterceptor } from '../platform/http/request/json-body.interceptor';
import { IdempotencyInterceptor, Keyed } from '../platform/idempotency/idempotency.interceptor';
import { IdempotencyService, type KeyedRequest } from '../platform/idempotency/idempotency.service';
import { Documented } from '../platform/openapi/operation';
import { AnswerRequest } from './attempts/answer.request';
import { AttemptsService } from './attempts/attempts.service';
import { LeaderboardService } from './leaderboard/leaderboard.service';
import { OwnAttemptInterceptor } from './attempts/own-attempt.interceptor';
import { ANSWER_QUESTION, GET_LEADERBOARD, START_ATTEMPT, SUBMIT_ATTEMPT } from './play.openapi';
import { toLeaderboardEntry, toRecordedAnswer, toResult, toStartedAttempt } from './responses';
import { StartAttemptRequest } from './attempts/start-attempt.request';
import { SubmissionService } from './attempts/submission.service';
import { VisibleQuizInterceptor } from './attempts/visible-quiz.interceptor';

/** Playing (docs/playing.md): an extension of the specification, under its rules. */
@Controller()
export class PlayController implements OnModuleInit {
  constructor(
    private readonly attempts: AttemptsService,
    private readonly submissions: SubmissionService,
    private readonly leaderboard: LeaderboardService,
    private readonly answers: IdempotencyService,
  ) {}

  onModuleInit(): void {
    this.answers.replayFrom('attempt', async (id) => startedBody(await this.attempts.started(id)));
  }

  @Documented(START_ATTEMPT)
  @NeedsKey()
  @UseInterceptors(JsonBodyInterceptor, IdempotencyInterceptor, VisibleQuizInterceptor)
  @Post('quizzes/:id/attempts')
  async start(
    @CurrentCaller() caller: Caller,
    @Keyed() request: KeyedRequest | null,
    @Param('id') quizId: string,
    @Body() body: StartAttemptRequest,
  ) {
    // It is one statement, and needs no transaction of its own.
    if (!request)
      return { body: startedBody(await this.attempts.start(caller.accountId, quizId, body)) };
    const prepared = await this.attempts.prepare(caller.accountId, quizId, body);
    return this.answers.once(request, async (tx) => {
      const attempt = await this.attempts.startIn(tx, prepared);
      return { body: startedBody(attempt), madeFrom: { kind: 'attempt', id: attempt.id } };
    });
  }

  @Documented(ANSWER_QUESTION)
  @NeedsKey()
  @UseInterceptors(JsonBodyInterceptor, OwnAttemptInterceptor)
  @HttpCode(200)
  @Post('attempts/:id/answers')
  async answer(
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

  /** It needs no body, and reads none. */
  @Documented(SUBMIT_ATTEMPT)
  @NeedsKey()
  @UseInterceptors(OwnAttemptInterceptor)
  @HttpCode(200)
  @Post('attempts/:id/submit')
  async submit(@CurrentCaller() caller: Caller, @Param('id') attemptId: string) {
    return { success: true, data: await this.submissions.submit(caller.accountId, attemptId) };
  }

  @Documented(GET_LEADERBOARD)
  @NeedsKey()
  @UseInterceptors(VisibleQuizInterceptor)
  @Get('quizzes/:id/leaderboard')
  async top(@Param('id') quizId: string) {
    const entries = await this.leaderboard.top(quizId);
    return { success: true, data: entries.map(toLeaderboardEntry) };
  }
}

const startedBody = (attempt: Parameters<typeof toStartedAttempt>[0]) => ({
  success: true,
  data: toStartedAttempt(attempt),
});
