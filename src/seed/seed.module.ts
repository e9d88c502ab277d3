import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { AuthoringModule } from '../authoring/authoring.module';
import { DemoAccountService } from './demo-account.service';
import { SeedService } from './seed.service';

/** The content of a new service: the starter catalogue and the demo account. */
@Module({
  imports: [AccessModule, AuthoringModule],
  providers: [SeedService, DemoAccountService],
  exports: [SeedService, DemoAccountService],
})
export class SeedModule {}
