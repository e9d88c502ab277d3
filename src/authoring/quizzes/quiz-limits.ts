import { LimitExceeded } from '../../platform/errors/domain-errors';
import { LIMITS } from '../../platform/limits/limits';

const { questionsPerQuiz, quizBytes } = LIMITS.content;

/** What a quiz holds, or what is to be added to it. */
export interface QuizSize {
  questions: number;
  bytes: number;
}

/** @throws LimitExceeded when the quiz cannot take so much more */
export function requireRoomFor(quiz: QuizSize, more: QuizSize): void {
  if (more.questions > 0 && quiz.questions + more.questions > questionsPerQuiz.value)
    throw new LimitExceeded(
      `A quiz holds at most ${questionsPerQuiz.value.toLocaleString('en')} questions, and this one has ${quiz.questions.toLocaleString('en')}. Put the rest into another quiz.`,
    );
  if (more.bytes > 0 && quiz.bytes + more.bytes > quizBytes.value)
    throw new LimitExceeded(
      `A quiz holds at most ${quizBytes.value / 1_048_576} MiB of questions, and this would exceed that limit. Shorten the texts, or put the rest into another quiz.`,
    );
}
