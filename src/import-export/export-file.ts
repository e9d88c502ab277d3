import { StreamableFile } from '@nestjs/common';
import type { Response } from 'express';
import { Readable } from 'node:stream';
import type { Exported } from './export.service';
import { formatOf, writerOf, type WritableFormat } from './formats/formats';

/** The quiz as the body of an answer that a browser saves, under a name from its slug. */
export function exportFile(
  { quiz, slug }: Exported,
  format: WritableFormat,
  response: Response,
): StreamableFile {
  const { mediaTypes, endings } = formatOf(format);
  const name = `${slug}${endings[0] ?? ''}`;
  // Words of authors: whatever they are, a browser saves them and does not show them.
  response.setHeader('X-Content-Type-Options', 'nosniff');
  return new StreamableFile(Readable.from(writerOf(format)(quiz)), {
    type: `${mediaTypes[0]}; charset=utf-8`,
    disposition: `attachment; filename="${name.replace(/[^\w.-]/g, '_')}"; filename*=UTF-8''${encodeURIComponent(name)}`,
  });
}
