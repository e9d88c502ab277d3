import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccessModule } from '../access/access.module';
import { AuthoringModule } from '../authoring/authoring.module';
import { CatalogModule } from '../catalog/catalog.module';
import { EventsModule } from '../events/events.module';
import { MediaModule } from '../media/media.module';
import { IdempotencyModule } from '../platform/idempotency/idempotency.module';
import { ArchiveController } from './exports/archive.controller';
import { ExportsController } from './exports/exports.controller';
import { ExportsService } from './exports/exports.service';
import { Import } from './imports/import.entity';
import { ImportChunk } from './imports/import-chunk.entity';
import { ImportPreviewsService } from './imports/import-previews.service';
import { ImportTextService } from './imports/import-text.service';
import { ImportUndoService } from './imports/import-undo.service';
import { ImportedQuiz } from './imports/imported-quiz.entity';
import { ImportsController } from './imports/imports.controller';
import { ImportsService } from './imports/imports.service';
import { LocalImportsService } from './imports/local-imports.service';
import { ImportCheckService } from './imports/running/import-check.service';
import { ImportFailuresService } from './imports/running/import-failures.service';
import { ImportPicturesService } from './imports/running/import-pictures.service';
import { ImportQuotaService } from './imports/running/import-quota.service';
import { ImportResultsService } from './imports/running/import-results.service';
import { ImportRunnerService } from './imports/running/import-runner.service';
import { ImportWriteService } from './imports/running/import-write.service';

/** Import and export of question files. It needs no queue: an import is a row that a worker finds. */
@Module({
  imports: [
    TypeOrmModule.forFeature([Import, ImportChunk, ImportedQuiz]),
    AccessModule,
    AuthoringModule,
    MediaModule,
    CatalogModule,
    EventsModule,
    IdempotencyModule,
  ],
  controllers: [ImportsController, ExportsController, ArchiveController],
  providers: [
    ImportsService,
    LocalImportsService,
    ImportRunnerService,
    ImportCheckService,
    ImportPicturesService,
    ImportWriteService,
    ImportResultsService,
    ImportQuotaService,
    ImportFailuresService,
    ImportUndoService,
    ImportPreviewsService,
    ImportTextService,
    ExportsService,
  ],
  exports: [
    ImportPreviewsService,
    ImportTextService,
    ImportsService,
    ImportUndoService,
    LocalImportsService,
    ImportRunnerService,
    ExportsService,
  ],
})
export class ImportExportModule {}
