import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Account } from './account.entity';
import { AuditLog } from './audit-log';
import { AccountsService } from './accounts.service';
import { PasswordsService } from '../sessions/passwords.service';

/** Accounts that people make for themselves. */
@Injectable()
export class RegistrationService {
  constructor(
    private readonly database: DataSource,
    private readonly accounts: AccountsService,
    private readonly passwords: PasswordsService,
    private readonly audit: AuditLog,
  ) {}

  /** A Free account with a password, or none at all. @throws Invalid, Conflict when the address is taken */
  register(email: string, password: string): Promise<Account> {
    return this.database.transaction(async (tx) => {
      const account = await this.accounts.createIn(tx, { email, plan: 'free' });
      await this.passwords.setIn(tx, account.id, password);
      await this.audit.recordOwn(tx, account.id, 'account.signed-up');
      return account;
    });
  }
}
