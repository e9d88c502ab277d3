import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Endpoints, Sends } from '../../platform/openapi/endpoint';
import { NeedsKey } from '../api-keys/api-key.guard';
import type { Caller } from '../api-keys/caller';
import { CurrentCaller } from '../api-keys/current-caller.decorator';
import { KeyScope } from '../api-keys/key-scope.decorator';
import { Me } from './me.dto';
import { MeService } from './me.service';

/** What a program can find out about its own key: an extension of the specification. */
@Endpoints('Account')
@Controller()
export class MeController {
  constructor(private readonly me: MeService) {}

  /**
   * Get the account and the key of the request
   * @remarks The plan and how much of its quota is in use, what the key may do and until when, and the rate limit of
   * your address, or of the key if it has one of its own. Every key may ask, except one with only the scope `play`.
   * @returns The account and the key.
   */
  @Sends(Me)
  @NeedsKey()
  @KeyScope(['read', 'write', 'publish', 'webhooks'])
  @Get('me')
  async getMe(
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ success: true; data: Me }> {
    // RateLimitGuard has set them.
    const rate = (name: string) => Number(response.getHeader(`RateLimit-${name}`));
    const { per, ...me } = await this.me.get(caller);
    const [limit, remaining, reset] = [rate('Limit'), rate('Remaining'), rate('Reset')];
    const rateLimit = { per, limit, remaining, reset };
    return { success: true, data: { ...me, rateLimit } };
  }
}
