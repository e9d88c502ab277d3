import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { CatalogModule } from '../catalog/catalog.module';
import { EventsModule } from '../events/events.module';
import { IdempotencyModule } from '../platform/idempotency/idempotency.module';
import { AttemptRetention } from './attempt-retention';
import { AttemptsService } from './attempts.service';
import { LeaderboardModerationService } from './leaderboard-moderation.service';
import { LeaderboardService } from './leaderboard.service';
import { PlayController } from './play.controller';
import { PlayCounter } from './play-counter';
import { PlayableQuizzesService } from './playable-quizzes.service';
import { SubmissionService } from './submission.service';
import { VisitorPlayService } from './visitor-play.service';

/** Playing quizzes: attempts, scoring on the server, leaderboards. */
@Module({
  imports: [AccessModule, CatalogModule, EventsModule, IdempotencyModule],
  controllers: [PlayController],
  providers: [
    PlayableQuizzesService,
    AttemptsService,
    SubmissionService,
    LeaderboardService,
    LeaderboardModerationService,
    PlayCounter,
    AttemptRetention,
    VisitorPlayService,
  ],
  exports: [
    AttemptsService,
    SubmissionService,
    LeaderboardService,
    LeaderboardModerationService,
    VisitorPlayService,
  ],
})
export class PlayModule {}
