import { Injectable, UseGuards, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { isWrite, ReadYourWrites } from '../../platform/database/replicas/read-your-writes';
import { PlanRequired, Unauthenticated } from '../../platform/errors/domain-errors';
import { JsonAnswerGuard } from '../../platform/http/server/json-response.guard';
import { Documents } from '../../platform/openapi/operation';
import { NEEDS_KEY, NEEDS_PLAN } from '../access.openapi';
import { findKey } from './api-key.rules';
import { ApiKeysService } from './api-keys.service';
import { mayWrite } from '../accounts/plan.rules';

/** Lets a request in by its API key, and notes who holds it. */
@Injectable()
@Documents(NEEDS_KEY)
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly writes: ReadYourWrites,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const caller = await this.keys.findCaller(findKey(request.headers, request.query));
    if (!caller) throw new Unauthenticated();
    request.caller = caller;
    request.accountId = caller.accountId;
    if (isWrite(request.method)) await this.writes.note(caller.accountId);
    return true;
  }
}

/** Lets Starter, Pro and administrators through. Runs after ApiKeyGuard. */
@Injectable()
@Documents(NEEDS_PLAN)
export class PlanGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { caller } = context.switchToHttp().getRequest<Request>();
    if (!caller) throw new Unauthenticated();
    if (!mayWrite(caller))
      throw new PlanRequired(
        'A Starter or Pro plan is needed to create quizzes and import questions. Upgrade your plan to go on.',
      );
    return true;
  }
}

/** An API key is needed: 401 without one. The answer is JSON: 406 for who takes none. */
export const NeedsKey = () => UseGuards(ApiKeyGuard, JsonAnswerGuard);

/** An API key is needed, and the answer is a file. */
export const NeedsKeyForFile = () => UseGuards(ApiKeyGuard);

/** An API key of a Starter or Pro account or of an administrator is needed: 401, then 403; then 406 as above. */
export const NeedsPlan = () => UseGuards(ApiKeyGuard, PlanGuard, JsonAnswerGuard);
