import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccessModule } from '../access/access.module';
import { PicturesOfDeletedAccounts } from './account-deletion.listener';
import { MediaController } from './media.controller';
import { Medium } from './media.entity';
import { MediaService } from './media.service';
import { MediaRetention } from './media-retention.service';
import { PicturesController } from './pictures.controller';

/** The pictures of questions: taking, storing and sending them. */
@Module({
  imports: [TypeOrmModule.forFeature([Medium]), AccessModule],
  controllers: [MediaController, PicturesController],
  providers: [MediaService, MediaRetention, PicturesOfDeletedAccounts],
  exports: [MediaService],
})
export class MediaModule {}
