import { Post } from '@nestjs/common';
import { PICTURE_FILE } from '../../../media/media.dto';
import { MediaService } from '../../../media/media.service';
import { receiveWhole } from '../../../platform/http/request/file-body';
import { ConstantText, JSON_TYPE } from '../../../platform/http/server/text-response';
import { Asked, type PageRequest, SignedInPages } from '../../http/page-controller';
import type { PageResult } from '../../http/page-results';

/** The pictures that the editor uploads. */
@SignedInPages('media')
export class MediaPagesController {
  constructor(private readonly media: MediaService) {}

  /** The body is the picture, and the response is JSON as that of the API; so are errors, for `Accept: application/json`. */
  @Post()
  async upload(@Asked() { accountId, request, response }: PageRequest): Promise<PageResult> {
    const bytes = await receiveWhole(request, response, PICTURE_FILE);
    const data = await this.media.store(accountId, bytes);
    response.status(201);
    return new ConstantText(JSON_TYPE, JSON.stringify({ success: true, data }));
  }
}
