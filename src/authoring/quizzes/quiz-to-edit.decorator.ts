import { applyDecorators } from '@nestjs/common';
import { ChecksAccess } from '../../access/api-keys/checks-access.decorator';
import { QuizzesService } from '../../catalog/quizzes/quizzes.service';
import { Conditional } from '../../platform/http/request/conditional.decorator';
import { successBody } from '../../platform/http/server/text-response';
import { Fails } from '../../platform/openapi/failures';
import { LIVE_QUIZ_NEEDS_PUBLISH } from '../review/review.dto';
import { QuizAuthoringService } from './quiz-authoring.service';
import { OWNED_QUIZ } from './quizzes.dto';

export const ONLY_OWNER_CHANGES = 'Only its owner changes it.';

/**
 * The quiz of the path: 404; 403 for one that is not the caller's, and for a live one with a key that lacks the scope
 * `publish`; 412 for another version than that of If-Match.
 * @param refusal the second sentence of the 403 for a quiz of another account; the default is for imports
 * @param byAdministrators whether administrators pass if the quiz is public
 */
export function QuizToEdit(refusal?: string, byAdministrators = false) {
  return applyDecorators(
    ChecksAccess(QuizAuthoringService, (quizzes, caller, id) =>
      quizzes.requireOwner(caller, id, refusal, byAdministrators && caller.isAdmin),
    ),
    Conditional(QuizzesService, async (quizzes, accountId, id) => {
      const quiz = await quizzes.getJson(accountId, id);
      return { body: successBody(quiz), version: quiz.version };
    }),
    Fails(...OWNED_QUIZ, LIVE_QUIZ_NEEDS_PUBLISH),
  );
}
