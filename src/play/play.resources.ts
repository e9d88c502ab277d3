import { EXAMPLE_ANSWERS, EXAMPLE_QUESTION, EXAMPLE_QUIZ } from '../catalog/quizzes/quizzes.dto';
import type { Answer, Difficulty, QuestionType } from '../catalog/vocabulary';
import { TimeField } from '../platform/http/request/text-fields';
import type { Failure } from '../platform/openapi/failures';
import { Field, Example, Whole, Named, text } from '../platform/openapi/fields';

import type { AnswerRow } from './attempts/attempt.queries';
import { isMultiple, shuffledFor, TOO_MANY_VERSIONS as TOO_MANY } from './attempts/attempt.rules';
import type { PlayedQuestion as SnapshotQuestion } from './attempts/snapshot.queries';

/** The responses and errors of playing (docs/playing.md). */

const EXAMPLE_ATTEMPT = '019a9f3e-6c00-7000-8000-000000000040';

export const ATTEMPT_ID = ['The id of the attempt.', EXAMPLE_ATTEMPT] as const;

/** An answer to choose, without whether it is correct. */
export class PlayedAnswer {
  /** The id of the answer, as `answerIds` takes it. */
  @Example(EXAMPLE_ANSWERS[0]) id!: string;
  /** The answer as players read it. @example "The Danube" */
  text!: string;
}

export class PlayedQuestion {
  /** Its id in the quiz. */
  @Example(EXAMPLE_QUESTION) id!: string;
  /** The question. @example "Which river flows through Vienna?" */
  text!: string;
  @Named('QuestionType') type!: QuestionType;
  @Named('Difficulty') difficulty!: Difficulty;
  /** Its place in this attempt, from 1. @example 1 */
  @Whole() order!: number;
  /**
   * Whether more than one answer is correct: show check boxes. Otherwise show radio buttons.
   * @example false
   */
  multiple!: boolean;
  /** Shuffled for this attempt; empty for OPEN_ENDED. */
  answers!: PlayedAnswer[];
}

export class Attempt {
  /** The id of the attempt, for its URLs in the API. */
  @Example(EXAMPLE_ATTEMPT) id!: string;
  /** The quiz; null for an attempt across quizzes. */
  @Example(EXAMPLE_QUIZ)
  quizId!: string | null;
  /** Who plays, as you have named them. @example user-17 */
  player!: string;
  /** When its time limit is over; null: it has none. */
  @Example(null)
  endsAt!: Date | null;
  /** The questions, without their solutions. */
  questions!: PlayedQuestion[];
}

export class AttemptState extends Attempt {
  /** How many answers were correct; null until it is submitted. @example 1 */
  @Whole()
  score!: number | null;
  /** How many questions there are. @example 1 */
  @Whole() total!: number;
  /** Seconds from the start to the submit; null until then. @example 73 */
  @Whole()
  timeSpent!: number | null;
}

export class RecordedAnswer {
  /** The question. */
  @Example(EXAMPLE_QUESTION) questionId!: string;
  /** The chosen answers; null for OPEN_ENDED. */
  @Field({ type: 'array', nullable: true, items: text('An id.', EXAMPLE_ANSWERS[0]) })
  answerIds!: string[] | null;
  /** The typed answer, trimmed; null for choices. */
  @Example(null) text!: string | null;
}

export class Result extends RecordedAnswer {
  /** Whether the answer is correct. @example true */
  correct!: boolean;
  /** The correct answers; for OPEN_ENDED the accepted ones. */
  correctAnswers!: PlayedAnswer[];
  /** Why they are correct. @example "The Danube flows through ten countries." */
  explanation!: string | null;
}

export class Score {
  /** Number of correct answers. @example 1 */
  @Whole() score!: number;
  /** Number of questions. @example 1 */
  @Whole() total!: number;
  /** Seconds from the start to the submission. @example 73 */
  @Whole() timeSpent!: number;
  /** One for each question, in the order of the attempt. */
  results!: Result[];
}

export class LeaderboardEntry {
  /** From 1. @example 1 */
  @Whole() rank!: number;
  /** The player. @example user-17 */
  userId!: string;
  /** Number of correct answers. @example 12 */
  @Whole() score!: number;
  /** Seconds. @example 73 */
  @Whole() timeSpent!: number;
}

export const EXAMPLE_LINK = '019a9f3e-6c00-7000-8000-000000000060';

/** An unlisted link, as the quiz's owner sees it. */
export class UnlistedLink {
  /** The id of the link, to revoke it. */
  @Example(EXAMPLE_LINK) id!: string;
  /**
   * The path of its page. Whoever has it can play the quiz.
   * @example /play/~Vn3mPq0aSx7yBd5tKc2hWg
   */
  path!: string;
  /** When it closes; null: when you revoke it. */
  @Example(null)
  closesAt!: Date | null;
  /** When it was created. @example 2026-01-01T12:00:00.000Z */
  createdAt!: Date;
}

/** Body of POST /quizzes/{id}/links. */
export class CreateLinkRequest {
  /**
   * Nobody can start the quiz by the link from then on. Null: until you revoke it.
   * @example 2030-01-01T12:00:00Z
   */
  @TimeField({ optional: true, nullable: true })
  closesAt: Date | null = null;
}

export const NOTHING_TO_PLAY: Failure = {
  status: 422,
  name: 'nothing-to-play',
  title: 'The quiz cannot be played',
  error: 'This quiz has no questions yet, so it cannot be played.',
  fix: 'Choose a quiz with questions (`questionCount`); at most 1,000 questions and 2 MiB of text can be played.',
};

export const TOO_MANY_VERSIONS: Failure = {
  status: 422,
  name: 'too-many-versions',
  title: 'Too many versions of changed quizzes are stored',
  error: TOO_MANY,
  fix: 'Try again later, or play a quiz that has not changed.',
};

export const NO_MATCH: Failure = {
  status: 422,
  name: 'no-question-matches',
  title: 'No question matches the filter',
  error: 'No question matches the filter, so there is nothing to play. Choose a wider filter.',
  fix: 'Ask `GET /questions/counts` which categories, difficulties and types have questions.',
};

export const ATTEMPT_EXPIRED: Failure = {
  status: 422,
  name: 'attempt-expired',
  title: 'The attempt has expired',
  error: 'This attempt has expired: it could be played for 24 hours. Start another.',
  fix: 'Start another attempt.',
};

export const ATTEMPT_SUBMITTED: Failure = {
  status: 422,
  name: 'attempt-submitted',
  title: 'The attempt is over',
  error: 'This attempt has been submitted and accepts no more answers.',
  fix: 'Start another attempt to play again.',
};

export const TIME_OVER: Failure = {
  status: 422,
  name: 'time-over',
  title: 'The time for the attempt is over',
  error:
    'The time for this attempt is over. Submit it: the answers that were given in time are scored.',
  fix: 'Submit the attempt. Its `endsAt` says when its time is over; answers are accepted for another ten seconds.',
};

export const NO_ATTEMPTS_LEFT: Failure = {
  status: 422,
  name: 'no-attempts-left',
  title: 'The player has no attempts left',
  error:
    'No attempts are left: the author of this quiz allows 2 for each player. The best result is 3 of 5.',
  fix: 'Choose another quiz. Its author can allow more with `maxAttempts`.',
};

export const ANSWER_REVEALED: Failure = {
  status: 422,
  name: 'answer-revealed',
  title: 'The correct answer was already revealed',
  error: 'This question has been answered and its solution revealed: the first answer counts.',
  fix: 'Continue with the next question.',
};

export const ATTEMPT_NOT_FOUND: Failure = {
  status: 404,
  name: 'attempt-not-found',
  title: 'The attempt does not exist or is not yours',
  error: 'Attempt not found.',
  fix: 'Check the id, and use a key of the account that started the attempt. Other accounts get 404.',
};

/** An attempt at its start: nothing in it tells a correct answer from a wrong one. */
export const toStartedAttempt = (attempt: {
  id: string;
  quizId: string | null;
  player: string;
  endsAt: Date | null;
  questions: readonly SnapshotQuestion[];
}) => ({
  id: attempt.id,
  quizId: attempt.quizId,
  player: attempt.player,
  endsAt: attempt.endsAt,
  questions: attempt.questions.map((question, index) => ({
    id: question.id,
    text: question.text,
    type: question.type,
    difficulty: question.difficulty,
    order: index + 1,
    multiple: isMultiple(question),
    // The answers of an OPEN_ENDED question are its solution.
    answers:
      question.type === 'OPEN_ENDED'
        ? []
        : shuffledFor(attempt.id, question.answers).map(({ id, text }) => ({ id, text })),
  })),
});

/** An attempt as it was started, with its outcome. It has no solutions, submitted or not. */
export const toAttemptState = (
  attempt: Parameters<typeof toStartedAttempt>[0] & {
    score: number | null;
    timeSpent: number | null;
  },
) => ({
  ...toStartedAttempt(attempt),
  score: attempt.score,
  total: attempt.questions.length,
  timeSpent: attempt.timeSpent,
});

/** The recorded answer, without whether it is correct. */
export const toRecordedAnswer = (answer: AnswerRow) => ({
  questionId: answer.question_id,
  answerIds: answer.answer_ids,
  text: answer.text,
});

/** The answer to a question, if any, and the correct answers. */
export const toResult = (question: SnapshotQuestion, answer: AnswerRow | null | undefined) => ({
  questionId: question.id,
  correct: answer?.is_right ?? false,
  answerIds: answer?.answer_ids ?? null,
  text: answer?.text ?? null,
  correctAnswers: question.answers.filter(isCorrect).map(({ id, text }) => ({ id, text })),
  explanation: question.explanation,
});

const isCorrect = (answer: Answer) => answer.isCorrect;
