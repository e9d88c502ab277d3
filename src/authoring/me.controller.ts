import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { AccountsService } from '../access/accounts/accounts.service';
import { PLANS, type Plan } from '../access/accounts/plan.rules';
import { CurrentCaller, KeyScope, NeedsKey, type Caller } from '../access/api-keys/api-key.guard';
import { ApiKeysService } from '../access/api-keys/api-keys.service';
import type { Scope } from '../access/api-keys/scope.rules';
import { OwnedQuizzesService } from '../catalog/quizzes/owned-quizzes.service';
import { Endpoint, Sends } from '../platform/openapi/endpoint';
import { Choice, Flag, Part, Text, TextOrNull, Texts, Whole } from '../platform/openapi/fields';

class KeyHolder {
  @Text('Its id.', '019a9f3e-6c00-7000-8000-000000000001') id!: string;
  @Choice('Its plan.', PLANS, { example: 'starter' }) plan!: Plan;
  @Flag('Whether it is an administrator’s.', false) administrator!: boolean;
}

class UsedKey {
  @Text('Its id.', '019a9f3e-6c00-7000-8000-000000000002') id!: string;
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
