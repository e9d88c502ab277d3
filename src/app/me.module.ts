import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { AccountDeletionController } from '../access/administration/account-deletion.controller';
import { MeController } from '../access/me/me.controller';
import { MeService } from '../access/me/me.service';
import { QuizCounts } from '../access/me/quiz-counts';
import { CatalogModule } from '../catalog/catalog.module';
import { OwnedQuizzesService } from '../catalog/quizzes/owned-quizzes.service';

/** The endpoints of accounts. GET /me combines the account (access) with the number of its quizzes (catalog). */
@Module({
  imports: [AccessModule, CatalogModule],
  controllers: [MeController, AccountDeletionController],
  providers: [MeService, { provide: QuizCounts, useExisting: OwnedQuizzesService }],
})
export class MeModule {}
