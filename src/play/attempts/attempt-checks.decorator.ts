import { applyDecorators } from '@nestjs/common';
import { viewerOf } from '../../access/accounts/scope.rules';
import { ChecksAccess } from '../../access/api-keys/checks-access.decorator';
import { QUIZ_NOT_FOUND } from '../../catalog/quizzes/quizzes.dto';
import { Fails } from '../../platform/openapi/failures';
import { ATTEMPT_NOT_FOUND } from './attempts.dto';
import { AttemptsService } from './attempts.service';
import { PlayableQuizzesService } from './playable-quizzes.service';

/** 404 for a quiz that the caller may not see. */
export function VisibleQuiz() {
  return applyDecorators(
    ChecksAccess(PlayableQuizzesService, (quizzes, caller, id) =>
      quizzes.find(viewerOf(caller), id),
    ),
    Fails(QUIZ_NOT_FOUND),
  );
}

/** 404 for an attempt that does not exist, or of another account. */
export function OwnAttempt() {
  return applyDecorators(
    ChecksAccess(AttemptsService, (attempts, { accountId }, id) =>
      attempts.requireStarted(accountId, id),
    ),
    Fails(ATTEMPT_NOT_FOUND),
  );
}
