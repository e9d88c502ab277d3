import { applyDecorators, Body, Controller, Param, Post, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import {
  ChecksPath,
  CurrentCaller,
  NeedsPlan,
  requireScope,
  type Caller,
  KeyScope,
  NeedsKey,
} from '../access/api-keys/api-key.guard';
import { QuizzesService } from '../catalog/quizzes/quizzes.service';
import { EXAMPLE_QUIZ, QUIZ_ID, toQuizQuestionDetail } from '../catalog/resources';
import { Conditional, IfMatch, type Precondition } from '../platform/http/request/if-match';
import { JsonBody } from '../platform/http/request/json-body.interceptor';
import { successBody } from '../platform/http/server/text-response';
import { Keyed, Repeatable } from '../platform/idempotency/repeatable';
import { IdempotencyService, type KeyedRequest } from '../platform/idempotency/idempotency.service';
import { Endpoint, PathId, ResponseHeader, Sends } from '../platform/openapi/endpoint';
import { Fails } from '../platform/openapi/failures';
import { BatchImportRequest } from './questions/batch-import.request';
import { BatchImportService } from './questions/batch-import.service';
import { CreateQuizRequest } from './quizzes/create-quiz.request';
import {
  CONTENT_LIMIT,
  CreatedQuiz,
  ImportedQuestions,
  LIVE_QUIZ_NEEDS_PUBLISH,
  OWNED_QUIZ,
  QUIZ_LIMIT_REACHED,
  UNKNOWN_CATEGORY,
  toCreatedQuiz,
} from './authoring.resources';
import { QuizAuthoringService } from './quizzes/quiz-authoring.service';
import { AccountsService } from '../access/accounts/accounts.service';
import { PLANS, type Plan } from '../access/accounts/plan.rules';
import { ApiKeysService } from '../access/api-keys/api-keys.service';
import type { Scope } from '../access/accounts/scope.rules';
import { OwnedQuizzesService } from '../catalog/quizzes/owned-quizzes.service';
import { Choice, Flag, Part, Text, TextOrNull, Texts, Whole } from '../platform/openapi/fields';

/** Specification 4.4 and 4.7. The interceptors run after the guards and in their order (contract). */
@Controller('quizzes')
export class AuthoringController {
  constructor(
    private readonly quizzes: QuizAuthoringService,
    private readonly batches: BatchImportService,
    private readonly idempotency: IdempotencyService,
  ) {}

  @Endpoint(
    'Quizzes',
    'createQuiz',
    'Create a quiz',
    'Needs a Starter or Pro plan. The quiz is yours and has no questions yet; others see it when it is published and has passed review. With `published: true` the key also needs the scope `publish`.',
  )
  @Sends('The new quiz.', CreatedQuiz)
  @ResponseHeader('Location', 'The URL of the new quiz.', `/api/v1/quizzes/${EXAMPLE_QUIZ}`)
  @Fails(QUIZ_LIMIT_REACHED, UNKNOWN_CATEGORY)
  @NeedsPlan()
  @applyDecorators(JsonBody(), Repeatable())
  @Post()
  create(
    @CurrentCaller() caller: Caller,
    @Keyed() request: KeyedRequest | null,
    @Body() body: CreateQuizRequest,
  ) {
    if (body.published) requireScope(caller, 'publish');
    return this.idempotency.once(request, async (tx) => {
      const quiz = await this.quizzes.createIn(tx, caller.accountId, body);
      return {
        location: `/api/v1/quizzes/${quiz.id}`,
        body: { success: true, data: toCreatedQuiz(quiz) },
      };
    });
  }

  @Endpoint(
    'Questions',
    'importQuestions',
    'Import questions into a quiz',
    'Appends 1 to 50 questions to a quiz of your own: all of them, or none if one has an issue. Needs a Starter or Pro plan. A quiz holds at most 1,000 questions and 2 MiB of them, and an account as much as its plan allows (Starter 64 MiB, Pro 640 MiB).',
  )
  @PathId(...QUIZ_ID)
  @Sends('The new questions.', ImportedQuestions)
  @Fails(CONTENT_LIMIT)
  @NeedsPlan()
  @applyDecorators(JsonBody(), Repeatable(), OwnedQuiz())
  @Post(':id/questions/batch')
  importBatch(
    @CurrentCaller() caller: Caller,
    @Keyed() request: KeyedRequest | null,
    @Param('id') quizId: string,
    @IfMatch() expected: Precondition,
    @Body() body: BatchImportRequest,
  ) {
    return this.idempotency.once(request, async (tx) => {
      const { accountId } = caller;
      const { questions: sent } = body;
      const questions = await this.batches.importIn(tx, accountId, quizId, sent, expected, caller);
      const data = {
        // In the quiz's own spelling, whatever the path's: ids are case-insensitive.
        quizId: quizId.toLowerCase(),
        questionsCreated: questions.length,
        questions: questions.map(toQuizQuestionDetail),
      };
      return { body: { success: true, data } };
    });
  }
}

/**
 * The quiz of the path: 404, 403 for one that is not the caller's, 412 for another version than that of If-Match.
 * @param refusal ends the sentence of the 403
 * @param byAdministrators whether administrators pass if the quiz is public
 */
export function OwnedQuiz(refusal?: string, byAdministrators = false) {
  return applyDecorators(
    ChecksPath(QuizAuthoringService, (quizzes, _, id, caller) =>
      quizzes.requireOwner(caller, id, refusal, byAdministrators && caller.isAdmin),
    ),
    Conditional(QuizzesService, async (quizzes, accountId, id) => {
      const quiz = await quizzes.getJson(accountId, id);
      return { body: successBody(quiz), version: quiz.version };
    }),
    Fails(...OWNED_QUIZ, LIVE_QUIZ_NEEDS_PUBLISH),
  );
}

class KeyHolder {
  @Text('The id of the account.', '019a9f3e-6c00-7000-8000-000000000001') id!: string;
  @Choice('The plan of the account.', PLANS, { example: 'starter' }) plan!: Plan;
  @Flag('Whether it is an administrator’s.', false) administrator!: boolean;
}

class UsedKey {
  @Text('The id of the key.', '019a9f3e-6c00-7000-8000-000000000002') id!: string;
  @Text('What its holder calls it.', 'Website') name!: string;
  @Texts('What it may do.', 'A scope.', 'read', { example: ['read', 'write'] }) scopes!: Scope[];
  @Texts('Web origins whose pages may use it; empty: any.', 'An origin.', 'https://example.com')
  origins!: string[];
  @TextOrNull('When it stops working; null: never.', '2027-01-01T00:00:00.000Z')
  expiresAt!: string | null;
}

class QuizQuota {
  @Whole('How many quizzes the account owns.', 3) used!: number;
  @Whole('How many it may own; null: any number.', 25, { nullable: true }) limit!: number | null;
}

class Quota {
  @Part(QuizQuota) quizzes!: QuizQuota;
}

class RateLimit {
  @Whole('Requests that your address may make in any minute.', 60) limit!: number;
  @Whole('How many of them are left.', 57) remaining!: number;
  @Whole('Seconds until the oldest of them may be made again.', 42) reset!: number;
}

class Me {
  @Part(KeyHolder) account!: KeyHolder;
  @Part(UsedKey) key!: UsedKey;
  @Part(Quota) quota!: Quota;
  @Part(RateLimit) rateLimit!: RateLimit;
}

/** What a program can find out about its own key: an extension of the specification. */
@Controller()
export class MeController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly keys: ApiKeysService,
    private readonly quizzes: OwnedQuizzesService,
  ) {}

  @Endpoint(
    'Account',
    'getMe',
    'Get the account and the key of the request',
    'The plan and how much of its quota is in use, what the key may do and until when, and the rate limit of your address. Every key may ask, except one with only the scope `play`.',
  )
  @Sends('The account and the key.', Me)
  @NeedsKey()
  @KeyScope('read', 'write', 'publish', 'webhooks')
  @Get('me')
  async me(
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ success: true; data: Me }> {
    const { accountId, keyId, plan, isAdmin } = caller;
    const [{ id, name, scopes, origins, expiresAt }, owned] = await Promise.all([
      this.keys.get(accountId, keyId),
      this.quizzes.countByOwner([accountId]),
    ]);
    const used = owned.get(accountId) ?? 0;
    const rate = (name: string) => Number(response.getHeader(`RateLimit-${name}`));
    const data = {
      account: { id: accountId, plan, administrator: isAdmin },
      key: { id, name, scopes, origins, expiresAt: expiresAt?.toISOString() ?? null },
      quota: { quizzes: { used, limit: this.accounts.quizLimitOf(caller) } },
      rateLimit: { limit: rate('Limit'), remaining: rate('Remaining'), reset: rate('Reset') },
    };
    return { success: true, data };
  }
}
