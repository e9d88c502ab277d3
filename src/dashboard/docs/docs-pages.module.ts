import { Module } from '@nestjs/common';
import { AccessModule } from '../../access/access.module';
import { DocsController } from './docs.controller';

/** The documentation, at /docs. */
@Module({ imports: [AccessModule], controllers: [DocsController] })
export class DocsPagesModule {}
