import { Injectable } from '@nestjs/common';
import { AccountsService } from '../accounts/accounts.service';
import { mayWrite } from '../accounts/plan.rules';
import { ApiKeysService } from '../api-keys/api-keys.service';
import type { Caller } from '../api-keys/caller';
import type { Me } from './me.dto';
import { QuizCounts } from './quiz-counts';

/** What a program can find out about its own key. */
@Injectable()
export class MeService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly keys: ApiKeysService,
    private readonly quizzes: QuizCounts,
  ) {}

  /** The account and the key of the caller, and how much of the quota is in use. */
  async get(caller: Caller): Promise<Omit<Me, 'rateLimit'> & Pick<Me['rateLimit'], 'per'>> {
    const { accountId, keyId, plan, isAdmin } = caller;
    const [{ id, name, scopes, origins, expiresAt, requestsPerMinute }, owned] = await Promise.all([
      this.keys.get(accountId, keyId),
      this.quizzes.countByOwner([accountId]),
    ]);
    const used = owned.get(accountId) ?? 0;
    return {
      account: { id: accountId, plan, administrator: isAdmin },
      key: { id, name, scopes, origins, expiresAt: expiresAt?.toISOString() ?? null },
      per: requestsPerMinute === null ? 'address' : 'key',
      // A key of a Free account creates nothing; its drafts are written on the dashboard.
      quota: { quizzes: { used, limit: mayWrite(caller) ? this.accounts.quizLimitOf(caller) : 0 } },
    };
  }
}
