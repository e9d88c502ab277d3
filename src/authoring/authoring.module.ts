import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccessModule } from '../access/access.module';
import { CatalogModule } from '../catalog/catalog.module';
import { Question } from '../catalog/questions/question.entity';
import { Quiz } from '../catalog/quizzes/quiz.entity';
import { EventsModule } from '../events/events.module';
import { MediaModule } from '../media/media.module';
import { IdempotencyModule } from '../platform/idempotency/idempotency.module';
import { BatchImportService } from './questions/batch-import.service';
import { MarkdownPreviewService } from './questions/markdown-preview.service';
import { QuestionCopyingService } from './questions/question-copying.service';
import { QuestionEditingService } from './questions/question-editing.service';
import { QuestionIndexService } from './questions/question-index.service';
import { QuestionPicturesService } from './questions/question-pictures.service';
import { QuizAuthoringController } from './quizzes/quiz-authoring.controller';
import { QuizAuthoringService } from './quizzes/quiz-authoring.service';
import { QuizBulkService } from './quizzes/quiz-bulk.service';
import { QuizCopyingService } from './quizzes/quiz-copying.service';
import { QuizDraftingService } from './quizzes/quiz-drafting.service';
import { QuizEditorService } from './quizzes/quiz-editor.service';
import { QuizQuestionsController } from './quizzes/quiz-questions.controller';
import { QuizzesOfDeletedAccounts } from './quizzes/quizzes-of-deleted-accounts.service';
import { OwnerEditsService } from './review/owner-edits.service';
import { ReviewListener } from './review/review.listener';
import { ReviewService } from './review/review.service';
import { ReviewQueueService } from './review/review-queue.service';
import { TaxonomyService } from './taxonomy/taxonomy.service';

/** What other modules call. */
const EXPORTED = [
  BatchImportService,
  MarkdownPreviewService,
  QuestionCopyingService,
  QuestionEditingService,
  QuestionPicturesService,
  QuizAuthoringService,
  QuizBulkService,
  QuizCopyingService,
  QuizDraftingService,
  QuizEditorService,
  QuizzesOfDeletedAccounts,
  ReviewQueueService,
  ReviewService,
  TaxonomyService,
];

/** How content changes: creating, editing and importing, publishing and review, topics and categories. */
@Module({
  imports: [
    TypeOrmModule.forFeature([Quiz, Question]),
    AccessModule,
    MediaModule,
    CatalogModule,
    EventsModule,
    IdempotencyModule,
  ],
  controllers: [QuizAuthoringController, QuizQuestionsController],
  providers: [...EXPORTED, OwnerEditsService, QuestionIndexService, ReviewListener],
  exports: EXPORTED,
})
export class AuthoringModule {}
