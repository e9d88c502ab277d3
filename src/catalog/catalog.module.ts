import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccessModule } from '../access/access.module';
import { Category, Topic } from './discovery/taxonomy.entity';
import { CountersService } from './discovery/counters.service';
import { CatalogController } from './catalog.controller';
import { DiscoveryService } from './discovery/discovery.service';
import { OwnedQuizzesService } from './quizzes/owned-quizzes.service';
import { QuestionsService } from './questions/questions.service';
import { Quiz } from './quizzes/quiz.entity';
import { QuizzesService } from './quizzes/quizzes.service';
import { ReadCache } from './read-cache';

/** The read model: topics, categories, quizzes, questions. */
@Module({
  imports: [TypeOrmModule.forFeature([Topic, Category, Quiz]), AccessModule],
  controllers: [CatalogController],
  providers: [
    CountersService,
    DiscoveryService,
    OwnedQuizzesService,
    QuizzesService,
    QuestionsService,
    ReadCache,
  ],
  exports: [
    CountersService,
    DiscoveryService,
    OwnedQuizzesService,
    QuestionsService,
    QuizzesService,
    ReadCache,
  ],
})
export class CatalogModule {}
