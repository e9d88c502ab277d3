import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { CatalogModule } from '../catalog/catalog.module';
import { WebhooksModule } from '../webhooks/webhooks.module';
import { AccountController } from './dashboard/account/account.controller';
import { AccountsController } from './dashboard/accounts/accounts.controller';
import { AuditExportController } from './dashboard/audit/audit-export.controller';
import { AuditController } from './dashboard/audit/audit.controller';
import { DocsPagesModule } from './docs/docs-pages.module';
import { KeysController } from './dashboard/keys/keys.controller';
import { LandingController } from './landing/landing.controller';
import { OverviewController } from './dashboard/overview/overview.controller';
import { PlayerPagesModule } from './player/player-pages.module';
import { QuizPagesModule } from './dashboard/quizzes/quiz-pages.module';
import { ReviewPagesModule } from './dashboard/review/review-pages.module';
import { SetUpController } from './dashboard/sign-in/set-up.controller';
import { SignInController } from './dashboard/sign-in/sign-in.controller';
import { SignIn } from './dashboard/sign-in/sign-in.service';
import { SignUpController } from './dashboard/sign-in/sign-up.controller';
import { TopicPagesModule } from './dashboard/topics/topic-pages.module';
import { WebhookPagesModule } from './dashboard/webhooks/webhook-pages.module';

/**
 * The pages: the landing page at /, the account dashboard at /dashboard, the player's pages at /play, the
 * documentation at /docs.
 */
@Module({
  imports: [
    AccessModule,
    CatalogModule,
    WebhooksModule,
    WebhookPagesModule,
    PlayerPagesModule,
    DocsPagesModule,
    QuizPagesModule,
    ReviewPagesModule,
    TopicPagesModule,
  ],
  controllers: [
    LandingController,
    SignInController,
    SignUpController,
    SetUpController,
    OverviewController,
    KeysController,
    AccountController,
    AccountsController,
    AuditController,
    AuditExportController,
  ],
  providers: [SignIn],
})
export class WebModule {}
