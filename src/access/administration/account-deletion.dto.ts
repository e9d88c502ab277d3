import { OneOfField } from '../../platform/http/request/text-fields';
import type { Failure } from '../../platform/openapi/failures';
import { QUIZZES_OF_DELETED, type QuizzesOfDeleted } from './account-content';

/** Body of DELETE /me and of DELETE /accounts/{id}. */
export class DeleteAccountRequest {
  /**
   * What becomes of the quizzes: `delete` them, or `keep` the published ones, which then belong to a deleted account.
   * @example delete
   */
  @OneOfField(QUIZZES_OF_DELETED)
  quizzes!: QuizzesOfDeleted;
}

export const LAST_ADMINISTRATOR: Failure = {
  status: 409,
  name: 'last-administrator',
  title: 'It is the last administrator',
  error: 'This is the last administrator. Make another account an administrator first.',
  fix: 'Make another account an administrator on its page in the dashboard, then delete this one.',
};

export const ACCOUNT_NOT_DELETABLE: Failure = {
  status: 409,
  name: 'account-not-deletable',
  title: 'The service needs the account',
  error: 'The service needs this account. It cannot be deleted.',
  fix: 'The accounts of the starter quizzes and of the demo key stay.',
};

export const ACCOUNT_NOT_FOUND: Failure = {
  status: 404,
  name: 'account-not-found',
  title: 'Account not found',
  error: 'Account not found.',
  fix: 'Check the id: the page of the account in the dashboard shows it. An account that was deleted is not found.',
};

export const EXAMPLE_ACCOUNT = '019a9f3e-6c00-7000-8000-000000000001';
