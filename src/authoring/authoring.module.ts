import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { CatalogModule } from '../catalog/catalog.module';
import { EventsModule } from '../events/events.module';
import { AuthoringController } from './authoring.controller';
import { BatchImportService } from './batch-import.service';
import { QuizAuthoringService } from './quiz-authoring.service';
import { ReviewService } from './review.service';

/** How content changes: creating quizzes, importing questions, publishing and review. */
@Module({
  imports: [AccessModule, CatalogModule, EventsModule],
  controllers: [AuthoringController],
  providers: [QuizAuthoringService, BatchImportService, ReviewService],
  exports: [QuizAuthoringService, BatchImportService, ReviewService],
})
export class AuthoringModule {}
