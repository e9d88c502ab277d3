import { Module } from '@nestjs/common';
import { ImportExportModule } from '../import-export.module';
import { ImportSweep } from './import-sweep';
import { ImportWorker } from './import-worker';

/** The half of imports that works. Imported by the imports process only. */
@Module({
  imports: [ImportExportModule],
  providers: [ImportSweep, ImportWorker],
})
export class ImportsWorkerModule {}
