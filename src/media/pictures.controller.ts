import { Readable } from 'node:stream';
import { Controller, Get, Param, Req, Res, StreamableFile } from '@nestjs/common';
import type { Request, Response } from 'express';
import { OfPlayers } from '../platform/hardening/turns.interceptor';
import { MediaService } from './media.service';

/**
 * Where browsers get pictures. Not below /api/v1: a page with many of them would use up the requests that a key has in a
 * minute, and pages need no key.
 */
@OfPlayers('pages')
@Controller('media')
export class PicturesController {
  constructor(private readonly media: MediaService) {}

  @Get(':id')
  async picture(
    @Param('id') id: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile | undefined> {
    const picture = await this.media.get(id);
    const etag = `"${picture.sha256.toString('base64url')}"`;
    response.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
    response.setHeader('ETag', etag);
    // An author chose the bytes: nothing in them may run.
    response.setHeader('Content-Security-Policy', `default-src 'none'; sandbox`);
    // Pages of other sites show questions, too.
    response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    response.setHeader('Access-Control-Allow-Origin', '*');
    if (request.headers['if-none-match']?.includes(etag)) {
      response.status(304);
      return undefined;
    }
    const { type, bytes } = picture;
    return new StreamableFile(Readable.from(this.media.read(picture), { objectMode: false }), {
      type,
      length: bytes,
    });
  }
}
