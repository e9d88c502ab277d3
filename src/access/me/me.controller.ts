import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Endpoints, Sends } from '../../platform/openapi/endpoint';
import { AccountsService } from '../accounts/accounts.service';
import { mayWrite } from '../accounts/plan.rules';
import { type Caller, CurrentCaller, KeyScope, NeedsKey } from '../api-keys/api-key.guard';
import { ApiKeysService } from '../api-keys/api-keys.service';
import { Me } from './me.dto';
import { QuizCounts } from './quiz-counts';

/** What a program can find out about its own key: an extension of the specification. */
@Endpoints('Account')
@Controller()
export class MeController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly keys: ApiKeysService,
    private readonly quizzes: QuizCounts,
  ) {}

  /**
   * Get the account and the key of the request
   * @remarks The plan and how much of its quota is in use, what the key may do and until when, and the rate limit of
   * your address. Every key may ask, except one with only the scope `play`.
   * @returns The account and the key.
   */
  @Sends(Me)
  @NeedsKey()
  @KeyScope('read', 'write', 'publish', 'webhooks')
  @Get('me')
  async getMe(
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
      // A key of a Free account creates nothing; its drafts are written on the dashboard.
      quota: { quizzes: { used, limit: mayWrite(caller) ? this.accounts.quizLimitOf(caller) : 0 } },
      rateLimit: { limit: rate('Limit'), remaining: rate('Remaining'), reset: rate('Reset') },
    };
    return { success: true, data };
  }
}
