import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EventsModule } from '../events/events.module';
import { Account } from './accounts/account.entity';
import { AccountsService } from './accounts/accounts.service';
import { AccountAdministrationService } from './administration/account-administration.service';
import { AccountDeletionService } from './administration/account-deletion.service';
import { EmailChangesService } from './administration/email-changes.service';
import { PasswordLinksService } from './administration/password-links.service';
import { RegistrationService } from './administration/registration.service';
import { ApiKey } from './api-keys/api-key.entity';
import { ApiKeyCache } from './api-keys/api-key-cache';
import { ApiKeysService } from './api-keys/api-keys.service';
import { AttemptLimits } from './attempt-limits/attempt-limits.service';
import { QuestionTokens } from './attempt-limits/question-tokens.service';
import { AuditEntry } from './audit/audit-entry.entity';
import { AuditLog } from './audit/audit-log';
import { AuditRetention } from './audit/audit-retention.service';
import { Notice } from './notices/notice.entity';
import { NoticeMailService } from './notices/notice-mail.service';
import { NoticesListener } from './notices/notices.listener';
import { NoticesService } from './notices/notices.service';
import { PasswordsService } from './sessions/passwords.service';
import { Session } from './sessions/session.entity';
import { SessionsService } from './sessions/sessions.service';
import { SignInsService } from './sessions/sign-ins.service';

const SERVICES = [
  AccountsService,
  AccountAdministrationService,
  AccountDeletionService,
  ApiKeysService,
  PasswordsService,
  PasswordLinksService,
  EmailChangesService,
  RegistrationService,
  SessionsService,
  SignInsService,
  AttemptLimits,
  QuestionTokens,
  AuditLog,
  NoticesService,
];

/** Accounts, authentication and permissions. */
@Module({
  imports: [TypeOrmModule.forFeature([Account, ApiKey, AuditEntry, Notice, Session]), EventsModule],
  providers: [...SERVICES, NoticesListener, NoticeMailService, AuditRetention, ApiKeyCache],
  exports: SERVICES,
})
export class AccessModule {}
