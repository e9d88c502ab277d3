import type { DataSource } from 'typeorm';
import type { TopScore } from '../../src/events/event-map';
import type { MadeQuiz } from './content';
import type { TestAccount } from './service';

/** Plays the quiz to its end. @returns the attempt's id */
export async function play(
  account: TestAccount,
  quiz: MadeQuiz,
  player: string,
  right = true,
): Promise<string> {
  const { body } = await account.post(`/quizzes/${quiz.id}/attempts`, { player }).expect(201);
  const attempt = body.data.id as string;
  for (const question of quiz.questions) {
    const answer = question.answers.find(({ isCorrect }) => isCorrect === right);
    await account
      .post(`/attempts/${attempt}/answers`, { questionId: question.id, answerIds: [answer?.id] })
      .expect(200);
  }
  await account.post(`/attempts/${attempt}/submit`).expect(200);
  return attempt;
}

/** The names on the quiz's leaderboard, the best first. */
export const playersOn = async (account: TestAccount, quiz: MadeQuiz): Promise<string[]> =>
  (await account.get(`/quizzes/${quiz.id}/leaderboard`).expect(200)).body.data.map(
    ({ userId }: { userId: string }) => userId,
  );

/** The data of the quiz's `leaderboard.updated` events, oldest first. */
export const leaderboardEvents = async (database: DataSource, quiz: MadeQuiz) =>
  (
    await database.query<{ body: string }[]>(
      `SELECT body FROM outbox_events WHERE name = 'leaderboard.updated' ORDER BY id`,
    )
  )
    .map(({ body }) => JSON.parse(body).data as { quiz_id: string; top_scores: TopScore[] })
    .filter(({ quiz_id }) => quiz_id === quiz.id);
