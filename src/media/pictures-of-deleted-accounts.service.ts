import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AccountContent, DeletedAccount } from '../access/administration/account-content';
import { deletePicturesOf } from './media.queries';

/** Pictures per transaction: each may have a MiB. */
const BATCH = 50;

/** The pictures of a deleted account; those that kept quizzes, their results or the review show stay. */
@Injectable()
export class PicturesOfDeletedAccounts implements AccountContent {
  async deleteSome(tx: EntityManager, { id, quizzes }: DeletedAccount): Promise<boolean> {
    return (await deletePicturesOf(tx, id, quizzes, BATCH)) === BATCH;
  }
}
