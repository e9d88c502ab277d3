import { BullModule } from '@nestjs/bullmq';
import { Module } from '@nestjs/common';
import { ExchangeModule } from '../exchange.module';
import { ImportSweep } from './import-sweep';
import { ImportProcessor, ImportQueue, IMPORTS, ImportWorker } from './import-worker';

/** The half of imports that works. Imported by the worker process only. */
@Module({
  imports: [ExchangeModule, BullModule.registerQueue({ name: IMPORTS })],
  providers: [ImportSweep, ImportQueue, ImportProcessor, ImportWorker],
})
export class ImportsWorkerModule {}
