import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { AuthoringModule } from '../authoring/authoring.module';
import { CatalogModule } from '../catalog/catalog.module';
import { ExportService } from './export.service';
import { ImportService } from './import.service';

/** Question files: every question bank's way in and out. */
@Module({
  imports: [AccessModule, AuthoringModule, CatalogModule],
  providers: [ImportService, ExportService],
  exports: [ImportService, ExportService],
})
export class ExchangeModule {}
