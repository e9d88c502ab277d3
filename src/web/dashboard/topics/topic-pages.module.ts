import { Module } from '@nestjs/common';
import { AccessModule } from '../../../access/access.module';
import { AuthoringModule } from '../../../authoring/authoring.module';
import { CatalogModule } from '../../../catalog/catalog.module';
import { CategoriesController } from './categories.controller';
import { TopicsController } from './topics.controller';

/** Topics and categories, for administrators. */
@Module({
  imports: [AccessModule, AuthoringModule, CatalogModule],
  controllers: [TopicsController, CategoriesController],
})
export class TopicPagesModule {}
