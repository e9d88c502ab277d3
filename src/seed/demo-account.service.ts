import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { makeFolder } from '#embedded-postgres';
import { AccountsService } from '../access/accounts/accounts.service';
import { DEMO_ACCOUNT } from '../access/accounts/built-in-accounts';
import { RegistrationService } from '../access/administration/registration.service';
import { ApiKeysService } from '../access/api-keys/api-keys.service';
import { Config } from '../platform/config/config';

/** An account for trying out the service. Its key is kept in DATA_DIR, so that every start can show it again. */
@Injectable()
export class DemoAccountService {
  constructor(
    private readonly config: Config,
    private readonly accounts: AccountsService,
    private readonly registration: RegistrationService,
    private readonly keys: ApiKeysService,
  ) {}

  /**
   * A key that works: that of the last start, or a new one if that is missing or refused. Null if it would need a new
   * one once there is an administrator, since a service in use gets no new account that nobody asked for, and while the
   * demo account is disabled.
   */
  async key(): Promise<string | null> {
    const file = join(this.config.dataDir, 'demo-key');
    const kept = read(file);
    const holder = await this.keys.findCaller(kept);
    if (kept && holder) return kept;
    if (!(await this.registration.needsAdministrator())) return null;
    const account = await this.accounts.findOrCreateBuiltIn({ email: DEMO_ACCOUNT, plan: 'pro' });
    if (account.disabledAt) return null;
    const { key } = await this.keys.issue(account.id, 'Demo');
    makeFolder(this.config.dataDir);
    writeFileSync(file, `${key}\n`, { mode: 0o600 });
    return key;
  }
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return null;
  }
}
