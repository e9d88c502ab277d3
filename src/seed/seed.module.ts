import { Injectable, Module } from '@nestjs/common';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AccountsService } from '../access/accounts/accounts.service';
import { DEMO_ACCOUNT } from '../access/accounts/registration.service';
import { ApiKeysService } from '../access/api-keys/api-keys.service';
import { Config } from '../platform/config/config';
import { AccessModule } from '../access/access.module';
import { AuthoringModule } from '../authoring/authoring.module';
import { CatalogModule } from '../catalog/catalog.module';
import { SeedService } from './seed.service';

/** An account for trying out the service. Its key is kept in DATA_DIR, so that every start can show it again. */
@Injectable()
export class DemoAccountService {
  constructor(
    private readonly config: Config,
    private readonly accounts: AccountsService,
    private readonly keys: ApiKeysService,
  ) {}

  /** A key that works: that of the last start, or a new one if that is missing or refused. */
  async key(): Promise<string> {
    const file = join(this.config.dataDir, 'demo-key');
    const kept = read(file);
    const holder = await this.keys.findCaller(kept);
    if (kept && holder) return kept;
    const account =
      (await this.accounts.find(DEMO_ACCOUNT)) ??
      (await this.accounts.create({ email: DEMO_ACCOUNT, plan: 'pro' }));
    const { key } = await this.keys.issue(account.id, 'Demo');
    mkdirSync(this.config.dataDir, { recursive: true });
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

/** The content of a new service: the starter catalogue and the demo account. */
@Module({
  imports: [AccessModule, CatalogModule, AuthoringModule],
  providers: [SeedService, DemoAccountService],
  exports: [SeedService, DemoAccountService],
})
export class SeedModule {}
