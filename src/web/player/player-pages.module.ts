import { Module } from '@nestjs/common';
import { AccessModule } from '../../access/access.module';
import { PlayModule } from '../../play/play.module';
import { AttemptController } from './attempt.controller';
import { PlayerController } from './player.controller';

/** The player's pages, at /play/{slug}. */
@Module({
  imports: [AccessModule, PlayModule],
  controllers: [PlayerController, AttemptController],
})
export class PlayerPagesModule {}
