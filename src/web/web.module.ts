import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { RateLimitModule } from '../access/rate-limit/rate-limit.module';
import { AuthoringModule } from '../authoring/authoring.module';
import { CatalogModule } from '../catalog/catalog.module';
import { ImportExportModule } from '../import-export/import-export.module';
import { MediaModule } from '../media/media.module';
import { OpenApiModule } from '../platform/openapi/document/openapi.module';
import { PlayModule } from '../play/play.module';
import { WebhooksModule } from '../webhooks/webhooks.module';
import { AccountController } from './dashboard/account/account.controller';
import { AccountChangesController } from './dashboard/account/account-changes.controller';
import { AccountsController } from './dashboard/accounts/accounts.controller';
import { ManagedAccountController } from './dashboard/accounts/managed-account.controller';
import { AuditController } from './dashboard/audit/audit.controller';
import { ImportsPagesController } from './dashboard/imports/imports.controller';
import { KeysController } from './dashboard/keys/keys.controller';
import { LeaderboardPagesController } from './dashboard/leaderboard/leaderboard.controller';
import { MarkdownPagesController } from './dashboard/media/markdown.controller';
import { MediaPagesController } from './dashboard/media/media.controller';
import { NoticesController } from './dashboard/notices/notices.controller';
import { OverviewController } from './dashboard/overview/overview.controller';
import { QuestionBankController } from './dashboard/questions/questions.controller';
import { QueueBoardService } from './dashboard/queues/queue-board.service';
import { QueuesController } from './dashboard/queues/queues.controller';
import { QuestionPagesController } from './dashboard/quizzes/questions.controller';
import { QuizPagesController } from './dashboard/quizzes/quizzes.controller';
import { SharingController } from './dashboard/quizzes/sharing.controller';
import { RegradePagesController } from './dashboard/results/regrade.controller';
import { ResultsPagesController } from './dashboard/results/results.controller';
import { AllQuizzesController } from './dashboard/review/all-quizzes.controller';
import { ReviewController } from './dashboard/review/review.controller';
import { EmailLinkController } from './dashboard/sign-in/email-link.controller';
import { PasswordLinkController } from './dashboard/sign-in/password-link.controller';
import { SignInController } from './dashboard/sign-in/sign-in.controller';
import { TopicsController } from './dashboard/topics/topics.controller';
import { DeliveriesPagesController } from './dashboard/webhooks/deliveries.controller';
import { EndpointsPagesController } from './dashboard/webhooks/endpoints.controller';
import { DocsController } from './docs/docs.controller';
import { CatalogueController } from './landing/catalogue.controller';
import { LandingController } from './landing/landing.controller';
import { SiteFilesController } from './landing/site-files.controller';
import { ThemeController } from './landing/theme.controller';
import { AttemptController, PreviewAttemptController } from './player/attempt.controller';
import {
  EmbedAttemptController,
  EmbedFilesController,
  EmbedStartController,
} from './player/embed.controller';
import { PlayerController, PreviewController } from './player/player.controller';
import { ShareImageController } from './player/share-image.controller';

/**
 * The pages: the landing page at /, the account dashboard at /dashboard, the player's pages at /play, the
 * documentation at /docs, quizzes in other sites at /embed, and the pictures of quizzes at /covers.
 */
@Module({
  imports: [
    AccessModule,
    RateLimitModule,
    AuthoringModule,
    CatalogModule,
    ImportExportModule,
    MediaModule,
    OpenApiModule,
    PlayModule,
    WebhooksModule,
  ],
  controllers: [
    LandingController,
    SiteFilesController,
    ThemeController,
    CatalogueController,
    DocsController,
    PlayerController,
    AttemptController,
    ShareImageController,
    EmbedFilesController,
    EmbedStartController,
    EmbedAttemptController,
    PreviewController,
    PreviewAttemptController,
    SignInController,
    PasswordLinkController,
    EmailLinkController,
    OverviewController,
    KeysController,
    AccountController,
    MediaPagesController,
    MarkdownPagesController,
    AccountChangesController,
    NoticesController,
    ManagedAccountController,
    AccountsController,
    AuditController,
    QuizPagesController,
    QuestionPagesController,
    QuestionBankController,
    SharingController,
    LeaderboardPagesController,
    ResultsPagesController,
    RegradePagesController,
    ImportsPagesController,
    ReviewController,
    AllQuizzesController,
    TopicsController,
    QueuesController,
    DeliveriesPagesController,
    EndpointsPagesController,
  ],
  providers: [QueueBoardService],
})
export class WebModule {}
