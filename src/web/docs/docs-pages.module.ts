import { Module } from '@nestjs/common';
import { AccessModule } from '../../access/access.module';
import { DocsFilesController } from './docs-files.controller';
import { DocsController } from './docs.controller';

/** The documentation, at /docs. */
@Module({ imports: [AccessModule], controllers: [DocsController, DocsFilesController] })
export class DocsPagesModule {}
