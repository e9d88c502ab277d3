import { Module } from '@nestjs/common';
import { AccessModule } from '../../../access/access.module';
import { AuthoringModule } from '../../../authoring/authoring.module';
import { CatalogModule } from '../../../catalog/catalog.module';
import { ImportExportModule } from '../../../import-export/import-export.module';
import { PlayModule } from '../../../play/play.module';
import { ImportsPagesController } from '../imports/imports.controller';
import { LeaderboardController } from '../leaderboard/leaderboard.controller';
import { QuestionsController } from './questions.controller';
import { QuizActionsController } from './quiz-actions.controller';
import { QuizExportController } from './quiz-export.controller';
import { QuizzesController } from './quizzes.controller';

/** The screens of an owner's quizzes. */
@Module({
  imports: [AccessModule, AuthoringModule, CatalogModule, ImportExportModule, PlayModule],
  controllers: [
    QuizzesController,
    QuizActionsController,
    QuizExportController,
    QuestionsController,
    LeaderboardController,
    ImportsPagesController,
  ],
})
export class QuizPagesModule {}
