import type { Answer } from '../catalog/vocabulary';
import type { TopScore } from '../events/event-map';
import type { AnswerRow } from './attempts/attempt.queries';
import { shuffledFor } from './attempts/attempt.rules';
import type { PlayedQuestion } from './attempts/snapshot.queries';

/** What leaves the module, field by field (docs/playing.md). */

/** An attempt as it is started: nothing in it tells a right answer from a wrong one. */
export const toStartedAttempt = (attempt: {
  id: string;
  quizId: string;
  player: string;
  questions: readonly PlayedQuestion[];
}) => ({
  id: attempt.id,
  quizId: attempt.quizId,
  player: attempt.player,
  questions: attempt.questions.map((question, index) => ({
    id: question.id,
    text: question.text,
    type: question.type,
    difficulty: question.difficulty,
    order: index + 1,
    // The answers of an OPEN_ENDED question are its solution.
    answers:
      question.type === 'OPEN_ENDED'
        ? []
        : shuffledFor(attempt.id, question.answers).map(({ id, text }) => ({ id, text })),
  })),
});

/** What was answered, and no word about it. */
export const toRecordedAnswer = (answer: AnswerRow) => ({
  questionId: answer.question_id,
  answerIds: answer.answer_ids,
  text: answer.text,
});

/** What was answered, or nothing, and what would have been right. */
export const toResult = (question: PlayedQuestion, answer: AnswerRow | null | undefined) => ({
  questionId: question.id,
  correct: answer?.is_right ?? false,
  answerIds: answer?.answer_ids ?? null,
  text: answer?.text ?? null,
  correctAnswers: question.answers.filter(isCorrect).map(({ id, text }) => ({ id, text })),
  explanation: question.explanation,
});

const isCorrect = (answer: Answer) => answer.isCorrect;

export const toLeaderboardEntry = (entry: TopScore) => ({
  rank: entry.rank,
  userId: entry.user_id,
  score: entry.score,
  timeSpent: entry.time_spent,
});
