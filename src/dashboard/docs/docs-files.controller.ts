import { Controller, Get, Header } from '@nestjs/common';
import { readVectors, VECTORS } from './guides';

/** Files that the guides link to. */
@Controller('docs')
export class DocsFilesController {
  @Get(VECTORS)
  @Header('Content-Type', 'application/json; charset=utf-8')
  vectors(): string {
    return readVectors();
  }
}
