import { Body, Controller, Delete, HttpCode, Param } from '@nestjs/common';
import { JsonBody } from '../../platform/http/request/json-body.interceptor';
import { Endpoints, PathId, SendsNothing } from '../../platform/openapi/endpoint';
import { Fails } from '../../platform/openapi/failures';
import { ADMINISTRATORS_ONLY, NeedsKey } from '../api-keys/api-key.guard';
import type { Caller } from '../api-keys/caller';
import { ChecksAccess } from '../api-keys/checks-access.decorator';
import { CurrentCaller } from '../api-keys/current-caller.decorator';
import {
  ACCOUNT_NOT_DELETABLE,
  ACCOUNT_NOT_FOUND,
  DeleteAccountRequest,
  EXAMPLE_ACCOUNT,
  LAST_ADMINISTRATOR,
} from './account-deletion.dto';
import { AccountDeletionService } from './account-deletion.service';

/** Deletion of accounts: an extension of the specification. */
@Endpoints('Account')
@Controller()
export class AccountDeletionController {
  constructor(private readonly deletion: AccountDeletionService) {}

  /**
   * Delete your account
   * @remarks The key needs all of the scopes `read`, `write`, `publish` and `webhooks`: what they give access to is deleted. All
   * sessions end at once, and all keys within five seconds; webhooks, imports and notices are deleted within minutes.
   * Attempts that were started with your keys stay without the names of players. This cannot be undone.
   * @returns The account is deleted, and what belongs to it is being deleted.
   */
  @SendsNothing()
  @Fails(LAST_ADMINISTRATOR, ACCOUNT_NOT_DELETABLE)
  @HttpCode(202)
  @NeedsKey()
  @JsonBody()
  @Delete('me')
  async deleteMe(@CurrentCaller() caller: Caller, @Body() body: DeleteAccountRequest) {
    await this.deletion.delete(caller, caller.accountId, body.quizzes);
  }

  /**
   * Delete an account
   * @remarks For administrators, and for the owner of the account. Otherwise as `DELETE /me`: the key needs the same
   * scopes.
   * @returns The account is deleted, and what belongs to it is being deleted.
   */
  @PathId('The id of the account.', EXAMPLE_ACCOUNT)
  @SendsNothing()
  @Fails(ADMINISTRATORS_ONLY, ACCOUNT_NOT_FOUND, LAST_ADMINISTRATOR, ACCOUNT_NOT_DELETABLE)
  @HttpCode(202)
  @NeedsKey()
  @ChecksAccess(AccountDeletionService, (deletion, caller, id) =>
    deletion.requireMayDelete(caller, id),
  )
  @JsonBody()
  @Delete('accounts/:id')
  async deleteAccount(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: DeleteAccountRequest,
  ) {
    await this.deletion.delete(caller, id, body.quizzes);
  }
}
