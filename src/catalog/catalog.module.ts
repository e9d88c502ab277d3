import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccessModule } from '../access/access.module';
import { MediaModule } from '../media/media.module';
import { CountersService } from './discovery/counters.service';
import { DiscoveryController } from './discovery/discovery.controller';
import { DiscoveryService } from './discovery/discovery.service';
import { Category, Topic } from './discovery/taxonomy.entity';
import { OpenTdbController } from './opentdb/opentdb.controller';
import { OpenTdbService } from './opentdb/opentdb.service';
import { OwnedQuestionsService } from './questions/owned-questions.service';
import { Question } from './questions/question.entity';
import { QuestionsController } from './questions/questions.controller';
import { QuestionsService } from './questions/questions.service';
import { OwnedQuizzesService } from './quizzes/owned-quizzes.service';
import { Quiz } from './quizzes/quiz.entity';
import { QuizzesController } from './quizzes/quizzes.controller';
import { QuizzesService } from './quizzes/quizzes.service';
import { ReadCacheInterceptor } from './read-cache.interceptor';
import { RenderingService } from './rendering/rendering.service';

/** The read model: topics, categories, quizzes, questions. */
@Module({
  imports: [TypeOrmModule.forFeature([Topic, Category, Quiz, Question]), AccessModule, MediaModule],
  controllers: [DiscoveryController, QuizzesController, QuestionsController, OpenTdbController],
  providers: [
    CountersService,
    DiscoveryService,
    OpenTdbService,
    OwnedQuestionsService,
    OwnedQuizzesService,
    QuizzesService,
    QuestionsService,
    ReadCacheInterceptor,
    RenderingService,
  ],
  exports: [
    CountersService,
    DiscoveryService,
    OwnedQuestionsService,
    OwnedQuizzesService,
    QuestionsService,
    QuizzesService,
    RenderingService,
  ],
})
export class CatalogModule {}
