import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { ACCOUNT_CONTENT, type AccountContent } from '../access/administration/account-content';
import { DeletedAccountsService } from '../access/administration/deleted-accounts.service';
import { AuthoringModule } from '../authoring/authoring.module';
import { QuizzesOfDeletedAccounts } from '../authoring/quizzes/quizzes-of-deleted-accounts.service';
import { ImportsOfDeletedAccounts } from '../import-export/imports/imports-of-deleted-accounts.service';
import { ImportsWorkerModule } from '../import-export/imports/running/imports-worker.module';
import { MediaModule } from '../media/media.module';
import { PicturesOfDeletedAccounts } from '../media/pictures-of-deleted-accounts.service';
import { PlayersOfDeletedAccounts } from '../play/attempts/players-of-deleted-accounts.service';
import { PlayModule } from '../play/play.module';
import { WebhooksOfDeletedAccounts } from '../webhooks/deliveries/webhooks-of-deleted-accounts.service';
import { WebhooksModule } from '../webhooks/webhooks.module';

/** The deletion of accounts (access) asks every module that stores something for them. */
@Module({
  imports: [
    AccessModule,
    AuthoringModule,
    MediaModule,
    PlayModule,
    WebhooksModule,
    ImportsWorkerModule,
  ],
  providers: [
    DeletedAccountsService,
    {
      provide: ACCOUNT_CONTENT,
      inject: [
        QuizzesOfDeletedAccounts,
        ImportsOfDeletedAccounts,
        PicturesOfDeletedAccounts,
        PlayersOfDeletedAccounts,
        WebhooksOfDeletedAccounts,
      ],
      useFactory: (...content: AccountContent[]) => content,
    },
  ],
})
export class AccountDeletionModule {}
