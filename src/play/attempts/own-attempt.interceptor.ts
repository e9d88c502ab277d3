import { applyDecorators, Injectable, UseInterceptors } from '@nestjs/common';
import { PathCheckInterceptor } from '../../access/rate-limit/path-check.interceptor';
import { Fails } from '../../platform/openapi/failures';
import { AttemptsService } from './attempts.service';
import { ATTEMPT_NOT_FOUND } from '../play.resources';

/** 404 for an attempt that is not the caller's. */
@Injectable()
class OwnAttemptInterceptor extends PathCheckInterceptor {
  constructor(private readonly attempts: AttemptsService) {
    super();
  }

  protected check(accountId: string, id: string): Promise<unknown> {
    return this.attempts.requireOwn(accountId, id);
  }
}

export const OwnAttempt = () =>
  applyDecorators(UseInterceptors(OwnAttemptInterceptor), Fails(ATTEMPT_NOT_FOUND));
