import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { AuthoringModule } from '../authoring/authoring.module';
import { CatalogModule } from '../catalog/catalog.module';
import { ImportExportModule } from '../import-export/import-export.module';
import { PlayModule } from '../play/play.module';
import { WebhooksModule } from '../webhooks/webhooks.module';
import { AccountController } from './dashboard/account/account.controller';
import { AccountsController } from './dashboard/accounts/accounts.controller';
import { AuditController } from './dashboard/audit/audit.controller';
import { ImportsPagesController } from './dashboard/imports/imports.controller';
import { KeysController } from './dashboard/keys/keys.controller';
import { LeaderboardController } from './dashboard/leaderboard/leaderboard.controller';
import { OverviewController } from './dashboard/overview/overview.controller';
import { QuestionsController } from './dashboard/quizzes/questions.controller';
import { QuizzesController } from './dashboard/quizzes/quizzes.controller';
import { ReviewController } from './dashboard/review/review.controller';
import { SignInController } from './dashboard/sign-in/sign-in.controller';
import { TopicsController } from './dashboard/topics/topics.controller';
import { DeliveriesController } from './dashboard/webhooks/deliveries.controller';
import { EndpointsController } from './dashboard/webhooks/endpoints.controller';
import { DocsController } from './docs/docs.controller';
import { LandingController } from './landing/landing.controller';
import { AttemptController } from './player/attempt.controller';
import { PlayerController } from './player/player.controller';

/**
 * The pages: the landing page at /, the account dashboard at /dashboard, the player's pages at /play, the
 * documentation at /docs.
 */
@Module({
  imports: [
    AccessModule,
    AuthoringModule,
    CatalogModule,
    ImportExportModule,
    PlayModule,
    WebhooksModule,
  ],
  controllers: [
    LandingController,
    DocsController,
    PlayerController,
    AttemptController,
    SignInController,
    OverviewController,
    KeysController,
    AccountController,
    AccountsController,
    AuditController,
    QuizzesController,
    QuestionsController,
    LeaderboardController,
    ImportsPagesController,
    ReviewController,
    TopicsController,
    // Before EndpointsController: `webhooks/deliveries` is not an endpoint's id.
    DeliveriesController,
    EndpointsController,
  ],
})
export class WebModule {}
