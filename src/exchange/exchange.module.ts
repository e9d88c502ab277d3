import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { AuthoringModule } from '../authoring/authoring.module';
import { ImportService } from './import.service';

/** Question files: every question bank's way in. */
@Module({
  imports: [AccessModule, AuthoringModule],
  providers: [ImportService],
  exports: [ImportService],
})
export class ExchangeModule {}
