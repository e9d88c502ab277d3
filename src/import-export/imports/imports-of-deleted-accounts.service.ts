import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import type { AccountContent, DeletedAccount } from '../../access/administration/account-content';
import { Import } from './import.entity';

/** Imports per transaction: each may have 64 MiB. */
const BATCH = 5;

/** The imports of a deleted account, with their files and reports. One that is running ends with an error. */
@Injectable()
export class ImportsOfDeletedAccounts implements AccountContent {
  async deleteSome(tx: EntityManager, { id: accountId }: DeletedAccount): Promise<boolean> {
    const imports = tx.getRepository(Import);
    const ids = (
      await imports.find({ select: { id: true }, where: { accountId }, take: BATCH })
    ).map(({ id }) => id);
    await imports.delete({ id: In(ids) });
    return ids.length === BATCH;
  }
}
