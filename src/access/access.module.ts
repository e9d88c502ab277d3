import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EventsModule } from '../events/events.module';
import { AccountAdministrationService } from './administration/account-administration.service';
import { Account } from './accounts/account.entity';
import { AccountsService } from './accounts/accounts.service';
import { AuditLog, AuditRetention } from './audit/audit-log';
import { NoticesListener } from './notices/notices.listener';
import { NoticesService } from './notices/notices.service';
import { PasswordLinksService } from './administration/password-links.service';
import { RegistrationService } from './administration/registration.service';
import { ApiKeyCache } from './api-keys/api-key-cache';
import { ApiKey } from './api-keys/api-key.entity';
import { ApiKeysService } from './api-keys/api-keys.service';
import { AttemptLimits } from './sessions/attempt-limits';
import { SignInsService } from './sessions/sign-ins.service';
import { PasswordsService } from './sessions/passwords.service';
import { SessionsService } from './sessions/sessions.service';

const SERVICES = [
  AccountsService,
  AccountAdministrationService,
  ApiKeysService,
  PasswordsService,
  PasswordLinksService,
  RegistrationService,
  SessionsService,
  SignInsService,
  AttemptLimits,
  AuditLog,
  NoticesService,
];

/** Authentication, permissions and rate limits. */
@Module({
  imports: [TypeOrmModule.forFeature([Account, ApiKey]), EventsModule],
  providers: [...SERVICES, NoticesListener, AuditRetention, ApiKeyCache],
  exports: SERVICES,
})
export class AccessModule {}
