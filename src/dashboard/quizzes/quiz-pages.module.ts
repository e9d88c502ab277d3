import { Module } from '@nestjs/common';
import { AccessModule } from '../../access/access.module';
import { AuthoringModule } from '../../authoring/authoring.module';
import { CatalogModule } from '../../catalog/catalog.module';
import { QuestionsController } from './questions.controller';
import { QuizActsController } from './quiz-acts.controller';
import { QuizzesController } from './quizzes.controller';

/** The screens of an owner's quizzes. */
@Module({
  imports: [AccessModule, AuthoringModule, CatalogModule],
  controllers: [QuizzesController, QuizActsController, QuestionsController],
})
export class QuizPagesModule {}
