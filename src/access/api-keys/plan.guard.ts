import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  UseGuards,
} from '@nestjs/common';
import { PlanRequired } from '../../platform/errors/domain-errors';
import { JsonOnly } from '../../platform/http/request/json-only.guard';
import { Fails, type Failure } from '../../platform/openapi/failures';
import { mayWrite } from '../accounts/plan.rules';
import { NeedsKeyForFile } from './api-key.guard';
import { callerOf } from './current-caller.decorator';

const PLAN_NEEDED =
  'Creating quizzes, uploading pictures and importing questions require a Starter or Pro plan. Request one at /dashboard/account.';

/** Accepts Starter, Pro and administrators. Runs after ApiKeyGuard. */
@Injectable()
class PlanGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (!mayWrite(callerOf(context))) throw new PlanRequired(PLAN_NEEDED);
    return true;
  }
}

export const PLAN_REQUIRED: Failure = {
  status: 403,
  name: 'plan-required',
  title: 'The plan does not include this',
  error: PLAN_NEEDED,
  fix: 'Use a key of an account with a Starter or Pro plan, or upgrade the plan. Reading quizzes and questions, and playing, work with every plan.',
};

/** An API key of a Starter or Pro account or of an administrator is needed: 401, then 403; then 406 for clients that exclude JSON. */
export const NeedsPlan = () =>
  applyDecorators(NeedsKeyForFile(), UseGuards(PlanGuard), Fails(PLAN_REQUIRED), JsonOnly());
