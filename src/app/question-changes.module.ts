import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { AuthoringModule } from '../authoring/authoring.module';
import { EarlierAttempts } from '../authoring/questions/earlier-attempts';
import { QuestionAuthoringController } from '../authoring/questions/questions.controller';
import { CatalogModule } from '../catalog/catalog.module';
import { PlayModule } from '../play/play.module';
import { RegradeService } from '../play/regrade/regrade.service';

/** PATCH /questions/{id} combines the question (authoring) with the attempts that have an earlier key (play). */
@Module({
  imports: [AccessModule, AuthoringModule, CatalogModule, PlayModule],
  controllers: [QuestionAuthoringController],
  providers: [{ provide: EarlierAttempts, useExisting: RegradeService }],
})
export class QuestionChangesModule {}
