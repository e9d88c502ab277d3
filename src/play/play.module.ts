import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccessModule } from '../access/access.module';
import { AttemptLookup } from '../access/rate-limit/attempt-lookup';
import { CatalogModule } from '../catalog/catalog.module';
import { PlaysModule } from '../catalog/quizzes/plays.module';
import { Quiz } from '../catalog/quizzes/quiz.entity';
import { EventsModule } from '../events/events.module';
import { IdempotencyModule } from '../platform/idempotency/idempotency.module';
import { QuizAttempt } from './attempts/attempt.entity';
import { AttemptAnswer } from './attempts/attempt-answer.entity';
import { AttemptsController } from './attempts/attempts.controller';
import { AttemptsService } from './attempts/attempts.service';
import { PlayableQuizzesService } from './attempts/playable-quizzes.service';
import { PlayersOfDeletedAccounts } from './attempts/players-of-deleted-accounts.service';
import { SnapshotsService } from './attempts/snapshots.service';
import { LeaderboardController } from './leaderboard/leaderboard.controller';
import { LeaderboardService } from './leaderboard/leaderboard.service';
import { LeaderboardPlayer } from './leaderboard/leaderboard-player.entity';
import { QuizLink } from './links/quiz-link.entity';
import { QuizLinksController } from './links/quiz-links.controller';
import { QuizLinksService } from './links/quiz-links.service';
import { QuizRegrade } from './regrade/quiz-regrade.entity';
import { RegradeController } from './regrade/regrade.controller';
import { RegradeService } from './regrade/regrade.service';
import { QuestionReport } from './results/question-report.entity';
import { ReportsService } from './results/reports.service';
import { ResultsController } from './results/results.controller';
import { ResultsService } from './results/results.service';
import { AttemptRetention } from './submission/attempt-retention.service';
import { SubmissionController } from './submission/submission.controller';
import { SubmissionService } from './submission/submission.service';
import { VisitorPlayService } from './visitors/visitor-play.service';

/** Playing quizzes: attempts, scoring on the server, leaderboards. */
@Module({
  imports: [
    TypeOrmModule.forFeature([
      Quiz,
      QuizAttempt,
      AttemptAnswer,
      LeaderboardPlayer,
      QuizLink,
      QuestionReport,
      QuizRegrade,
    ]),
    AccessModule,
    CatalogModule,
    PlaysModule,
    EventsModule,
    IdempotencyModule,
  ],
  controllers: [
    AttemptsController,
    SubmissionController,
    LeaderboardController,
    ResultsController,
    QuizLinksController,
    RegradeController,
  ],
  providers: [
    PlayableQuizzesService,
    PlayersOfDeletedAccounts,
    AttemptsService,
    { provide: AttemptLookup, useExisting: AttemptsService },
    SnapshotsService,
    SubmissionService,
    LeaderboardService,
    AttemptRetention,
    QuizLinksService,
    VisitorPlayService,
    ResultsService,
    ReportsService,
    RegradeService,
  ],
  exports: [
    PlayersOfDeletedAccounts,
    LeaderboardService,
    QuizLinksService,
    VisitorPlayService,
    ResultsService,
    ReportsService,
    RegradeService,
  ],
})
export class PlayModule {}
