import { Controller, Get, Header } from '@nestjs/common';
import { SkipThrottle } from '@nestjs/throttler';
import { readVectors, VECTORS } from './guides';

/** Files that the guides link to. */
@SkipThrottle()
@Controller('docs')
export class DocsFilesController {
  @Get(VECTORS)
  @Header('Content-Type', 'application/json; charset=utf-8')
  vectors(): string {
    return readVectors();
  }
}
