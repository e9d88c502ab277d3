import { Controller, Get, Header } from '@nestjs/common';
import { ConstantText } from '../../platform/http/server/text-response';
import { readVectors, VECTORS } from './guides';

/** Files that the guides link to. */
@Controller('docs')
export class DocsFilesController {
  private file?: ConstantText;

  @Get(VECTORS)
  @Header('Cache-Control', 'public, max-age=60')
  vectors(): ConstantText {
    return (this.file ??= new ConstantText('application/json; charset=utf-8', readVectors()));
  }
}
