import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccessModule } from '../access/access.module';
import { MediaController } from './media.controller';
import { Medium } from './media.entity';
import { MediaService } from './media.service';
import { MediaRetention } from './media-retention.service';
import { PicturesController } from './pictures.controller';
import { PicturesOfDeletedAccounts } from './pictures-of-deleted-accounts.service';

/** The pictures of questions: taking, storing and sending them. */
@Module({
  imports: [TypeOrmModule.forFeature([Medium]), AccessModule],
  controllers: [MediaController, PicturesController],
  providers: [MediaService, MediaRetention, PicturesOfDeletedAccounts],
  exports: [MediaService, PicturesOfDeletedAccounts],
})
export class MediaModule {}
