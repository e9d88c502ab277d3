import { Controller, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Caller } from '../access/api-keys/caller';
import { CurrentCaller } from '../access/api-keys/current-caller.decorator';
import { NeedsPlan } from '../access/api-keys/plan.guard';
import { receiveWhole } from '../platform/http/request/file-body';
import { Endpoints, Sends, TakesFile } from '../platform/openapi/endpoint';
import { Fails } from '../platform/openapi/failures';
import { IMAGE_TYPES } from './images/image';
import { NO_PICTURE, PICTURE_FILE, PictureData } from './media.dto';
import { MediaService } from './media.service';

/** Pictures of questions: an extension of the specification that follows its rules. */
@Endpoints('Files')
@Controller('media')
export class MediaController {
  constructor(private readonly media: MediaService) {}

  /**
   * Upload a picture
   * @remarks The body is the picture, for example `curl --data-binary @map.png`. `![alternative text](media:<id>)` in the
   * Markdown of your questions shows it. Its metadata is removed, such as the location of a photo. The same picture again
   * returns the same id. It counts towards the bytes of your plan, and is deleted once no question of yours has shown it for
   * a week, and neither stored attempts nor an approved version show it. Needs a Starter or Pro plan.
   * @returns The picture.
   */
  @TakesFile(...IMAGE_TYPES)
  @Sends(PictureData)
  @Fails(...NO_PICTURE)
  @NeedsPlan()
  @Post()
  async uploadPicture(
    @CurrentCaller() { accountId }: Caller,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ) {
    const bytes = await receiveWhole(request, response, PICTURE_FILE);
    return { success: true, data: await this.media.store(accountId, bytes) };
  }
}
