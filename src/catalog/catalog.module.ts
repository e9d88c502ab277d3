import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccessModule } from '../access/access.module';
import { Category } from './category.entity';
import { CountersService } from './counters.service';
import { DiscoveryController } from './discovery.controller';
import { DiscoveryService } from './discovery.service';
import { OwnedQuizzesService } from './owned-quizzes.service';
import { QuestionsController } from './questions.controller';
import { QuestionsService } from './questions.service';
import { Quiz } from './quiz.entity';
import { QuizzesController } from './quizzes.controller';
import { QuizzesService } from './quizzes.service';
import { Topic } from './topic.entity';
import { TopicsService } from './topics.service';

/** What there is to read: topics, categories, quizzes, questions. */
@Module({
  imports: [TypeOrmModule.forFeature([Topic, Category, Quiz]), AccessModule],
  controllers: [DiscoveryController, QuizzesController, QuestionsController],
  providers: [
    CountersService,
    DiscoveryService,
    OwnedQuizzesService,
    QuizzesService,
    QuestionsService,
    TopicsService,
  ],
  exports: [CountersService, DiscoveryService, OwnedQuizzesService, QuizzesService, TopicsService],
})
export class CatalogModule {}
