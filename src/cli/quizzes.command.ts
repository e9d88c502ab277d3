import { Command } from 'commander';
import { ReviewService } from '../authoring/review/review.service';
import type { Quiz } from '../catalog/quizzes/quiz.entity';
import { at, type Output, type Row } from './output';
import { withServices } from './services';

export function quizzesCommand(output: Output): Command {
  const quizzes = new Command('quizzes').description('publish and review quizzes');

  quizzes
    .command('waiting')
    .description('list the published quizzes that wait for review, the oldest first')
    .action(() =>
      withServices(output, async (services) => {
        const { quizzes } = await services.get(ReviewService).waiting();
        output.list(quizzes.map(toQuiz), quizzes.map(toRow), 'No quiz waits for review.');
      }),
    );

  const change = (
    name: string,
    description: string,
    act: (review: ReviewService, id: string, options: { reason: string }) => Promise<Quiz>,
  ) =>
    quizzes
      .command(name)
      .description(description)
      .argument('<id>', 'id of the quiz')
      .action((id: string, options: { reason: string }) =>
        withServices(output, async (services) => {
          const review = services.get(ReviewService);
          const before = stateOf(await review.get(id));
          const quiz = await act(review, id, options);
          const state = stateOf(quiz);
          const change = state === before ? `is ${state} already` : `is now ${state}`;
          output.result(toQuiz(quiz), `"${quiz.title}" ${change}.`);
        }),
      );

  change('approve', 'let a quiz through review', (review, id) => review.approve(id));
  change('reject', 'refuse a quiz, and say why', (review, id, { reason }) =>
    review.reject(id, reason),
  ).requiredOption('--reason <reason>', 'what its owner should change');
  change('publish', 'publish a quiz for its owner', (review, id) => review.setPublished(id, true));
  change('unpublish', 'take a quiz back from the public', (review, id) =>
    review.setPublished(id, false),
  );

  return quizzes;
}

/** The state in words. */
function stateOf(quiz: Quiz): string {
  if (quiz.approval === 'rejected') return `rejected: ${quiz.rejectionReason ?? ''}`;
  if (quiz.isPublic) return 'live';
  if (quiz.approval === 'approved') return 'approved, and live as soon as its owner publishes it';
  return quiz.published ? 'waiting for review' : 'a draft';
}

const toQuiz = (quiz: Quiz) => ({
  id: quiz.id,
  title: quiz.title,
  ownerId: quiz.ownerId,
  published: quiz.published,
  approval: quiz.approval,
  rejectionReason: quiz.rejectionReason,
  isPublic: quiz.isPublic,
  createdAt: quiz.createdAt,
});

const toRow = (quiz: Quiz): Row => ({
  id: quiz.id,
  title: quiz.title.slice(0, 60),
  questions: quiz.questionCount,
  created: at(quiz.createdAt),
});
