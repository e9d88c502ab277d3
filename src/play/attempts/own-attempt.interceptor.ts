import { Injectable } from '@nestjs/common';
import { PathCheckInterceptor } from '../../access/rate-limit/path-check.interceptor';
import { Documents } from '../../platform/openapi/operation';
import { AttemptsService } from './attempts.service';
import { OWN_ATTEMPT } from '../play.openapi';

/** 404 for an attempt that is not the caller's. */
@Injectable()
@Documents(OWN_ATTEMPT)
export class OwnAttemptInterceptor extends PathCheckInterceptor {
  constructor(private readonly attempts: AttemptsService) {
    super();
  }

  protected check(accountId: string, id: string): Promise<unknown> {
    return this.attempts.requireOwn(accountId, id);
  }
}
