import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { CatalogModule } from '../catalog/catalog.module';
import { PlaysModule } from '../catalog/quizzes/plays.module';
import { EventsModule } from '../events/events.module';
import { IdempotencyModule } from '../platform/idempotency/idempotency.module';
import { AttemptRetention } from './submission/attempt-retention';
import { AttemptsService } from './attempts/attempts.service';
import { QuizLinksController } from './quiz-links.controller';
import { QuizLinksService } from './links/quiz-links.service';
import { LeaderboardService } from './leaderboard/leaderboard.service';
import { ReportsService } from './results/reports.service';
import { ResultsController } from './results/results.controller';
import { ResultsService } from './results/results.service';
import { PlayController } from './play.controller';
import { PlayableQuizzesService } from './attempts/playable-quizzes.service';
import { SubmissionService } from './submission/submission.service';
import { VisitorPlayService } from './visitors/visitor-play.service';

/** Playing quizzes: attempts, scoring on the server, leaderboards. */
@Module({
  imports: [AccessModule, CatalogModule, PlaysModule, EventsModule, IdempotencyModule],
  controllers: [PlayController, ResultsController, QuizLinksController],
  providers: [
    PlayableQuizzesService,
    AttemptsService,
    SubmissionService,
    LeaderboardService,
    AttemptRetention,
    QuizLinksService,
    VisitorPlayService,
    ResultsService,
    ReportsService,
  ],
  exports: [
    AttemptsService,
    SubmissionService,
    LeaderboardService,
    QuizLinksService,
    VisitorPlayService,
    ResultsService,
    ReportsService,
  ],
})
export class PlayModule {}
