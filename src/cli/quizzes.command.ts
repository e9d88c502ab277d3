import { isDeepStrictEqual } from 'node:util';
import type { Quiz } from '../catalog/quizzes/quiz.entity';
import { quizctl } from '../platform/config/command-line';
import { firstCodePoints } from '../platform/text/text.rules';
import { argument, command, group, pick, required } from './command';
import { count } from './import-report';
import { at, type Output, plain } from './output';
import type { Services } from './services';

const NONE_WAITS = `No published quiz waits for review. To list edits of live quizzes: ${quizctl('quizzes changed')}`;

export const quizzesCommand = group('quizzes', 'publish and review quizzes', [
  command({
    name: 'waiting',
    description: 'list the published quizzes that wait for review, the oldest first',
    async run(services, _given, output) {
      const { quizzes, waiting } = await services.reviewQueue.waiting();
      const rows = quizzes.map(({ id, title, questionCount, createdAt }) => {
        return {
          id,
          title: firstCodePoints(title, 60),
          questions: questionCount,
          created: at(createdAt),
        };
      });
      output.list(quizzes.map(toQuiz), rows, NONE_WAITS);
      noteOthers(output, waiting - quizzes.length);
    },
  }),
  command({
    name: 'changed',
    description:
      'list live quizzes with edits that no administrator has reviewed, the oldest edit first',
    async run(services, _given, output) {
      const { quizzes, total } = await services.review.changed();
      const rows = quizzes.map(({ id, title, changedSinceApprovalAt }) => {
        return { id, title: firstCodePoints(title, 60), edited: at(changedSinceApprovalAt) };
      });
      output.list(quizzes.map(toQuiz), rows, 'No live quiz has edits to review.');
      noteOthers(output, total - quizzes.length);
    },
  }),
  change('approve', 'approve a quiz', ({ review }, { id }) => review.approve(id)),
  change(
    'reject',
    'reject a quiz with a reason',
    ({ review }, { id, reason }) => review.reject(id, reason),
    required('--reason <reason>', 'what its owner should change'),
  ),
  change('publish', 'publish a quiz for its owner', ({ quizzes }, { id }) =>
    quizzes.setPublished(id, true),
  ),
  change('unpublish', 'unpublish a quiz', ({ quizzes }, { id }) => quizzes.setPublished(id, false)),
]);

function change(
  name: string,
  description: string,
  act: (services: Services, given: { id: string; reason: string }) => Promise<Quiz>,
  ...options: ReturnType<typeof required>[]
) {
  return command<{ id: string; reason: string }>({
    name,
    description,
    parameters: [argument('<id>', 'id of the quiz'), ...options],
    async run(services, given, output) {
      const before = await services.review.get(given.id);
      const quiz = await act(services, given);
      const isSame = isDeepStrictEqual(statusOf(quiz), statusOf(before));
      const change = isSame ? `is already ${stateOf(quiz)}` : `is now ${stateOf(quiz)}`;
      output.result(toQuiz(quiz), plain(`"${quiz.title}" ${change}.`));
    },
  });
}

/** Of quizzes that are not listed. */
function noteOthers(output: Output, others: number): void {
  if (others > 0)
    output.note(
      `${count(others, 'more quiz', 'more quizzes')}; ${others === 1 ? 'it is' : 'they are'} listed once these are reviewed.`,
    );
}

const statusOf = (quiz: Quiz) =>
  pick(quiz, 'published', 'approval', 'rejectionReason', 'changedSinceApprovalAt');

/** The state in words. */
function stateOf(quiz: Quiz): string {
  const { published, approval } = quiz;
  if (approval === 'rejected')
    return `${published ? 'published' : 'a draft'}, but rejected ("${quiz.rejectionReason ?? ''}")`;
  if (quiz.isPublic) return quiz.changedSinceApprovalAt ? 'live, with changes to review' : 'live';
  if (published)
    return approval === 'approved'
      ? 'published and approved, but its account is disabled'
      : 'waiting for review';
  return approval === 'approved'
    ? 'approved, and live as soon as its owner publishes it'
    : 'a draft';
}

const toQuiz = (quiz: Quiz) => ({
  ...pick(quiz, 'id', 'title', 'ownerId', 'published', 'approval'),
  ...pick(quiz, 'rejectionReason', 'isPublic', 'createdAt', 'changedSinceApprovalAt'),
});
