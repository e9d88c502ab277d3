import { EXAMPLE_ANSWERS, EXAMPLE_QUESTION, EXAMPLE_QUIZ } from '../catalog/resources';
import type { Answer, Difficulty, QuestionType } from '../catalog/vocabulary';
import type { Failure } from '../platform/openapi/failures';
import {
  Field,
  Flag,
  ListOf,
  Named,
  text,
  Text,
  TextOrNull,
  Whole,
} from '../platform/openapi/fields';

import type { AnswerRow } from './attempts/attempt.queries';
import { isMultiple, shuffledFor, TOO_MANY_VERSIONS as TOO_MANY } from './attempts/attempt.rules';
import type { PlayedQuestion as SnapshotQuestion } from './attempts/snapshot.queries';

/** The responses and errors of playing (docs/playing.md). */

const EXAMPLE_ATTEMPT = '019a9f3e-6c00-7000-8000-000000000040';

export const ATTEMPT_ID = ['The id of the attempt.', EXAMPLE_ATTEMPT] as const;

/** An answer to choose, without whether it is correct. */
class PlayedAnswer {
  @Text('The id of the answer, as `answerIds` takes it.', EXAMPLE_ANSWERS[0]) id!: string;
  @Text('The answer as players read it.', 'The Danube') text!: string;
}

class PlayedQuestion {
  @Text('Its id in the quiz.', EXAMPLE_QUESTION) id!: string;
  @Text('The question.', 'Which river flows through Vienna?') text!: string;
  @Named('QuestionType') type!: QuestionType;
  @Named('Difficulty') difficulty!: Difficulty;
  @Whole('Its place in this attempt, from 1.', 1) order!: number;
  @Flag(
    'Whether more than one answer is correct: show check boxes. Otherwise show radio buttons.',
    false,
  )
  multiple!: boolean;
  @ListOf(PlayedAnswer, 'Shuffled for this attempt; empty for OPEN_ENDED.')
  answers!: PlayedAnswer[];
}

export class Attempt {
  @Text('The id of the attempt, for its URLs in the API.', EXAMPLE_ATTEMPT) id!: string;
  @TextOrNull('The quiz; null for an attempt across quizzes.', EXAMPLE_QUIZ)
  quizId!: string | null;
  @Text('Who plays, as you have named them.', 'user-17') player!: string;
  @TextOrNull('When its time limit is over; null: it has none.', null, { format: 'date-time' })
  endsAt!: Date | null;
  @ListOf(PlayedQuestion, 'The questions, without their solutions.') questions!: PlayedQuestion[];
}

const untilSubmitted = { nullable: true };

export class AttemptState extends Attempt {
  @Whole('How many answers were correct; null until it is submitted.', 1, untilSubmitted)
  score!: number | null;
  @Whole('How many questions there are.', 1) total!: number;
  @Whole('Seconds from the start to the submit; null until then.', 73, untilSubmitted)
  timeSpent!: number | null;
}

export class RecordedAnswer {
  @Text('The question.', EXAMPLE_QUESTION) questionId!: string;
  @Field({
    type: 'array',
    nullable: true,
    description: 'The chosen answers; null for OPEN_ENDED.',
    items: text('An id.', EXAMPLE_ANSWERS[0]),
  })
  answerIds!: string[] | null;
  @TextOrNull('The typed answer, trimmed; null for choices.', null) text!: string | null;
}

export class Result extends RecordedAnswer {
  @Flag('Whether the answer is correct.', true) correct!: boolean;
  @ListOf(PlayedAnswer, 'The correct answers; for OPEN_ENDED the accepted ones.')
  correctAnswers!: PlayedAnswer[];
  @TextOrNull('Why they are correct.', 'The Danube flows through ten countries.')
  explanation!: string | null;
}

export class Score {
  @Whole('Number of correct answers.', 1) score!: number;
  @Whole('Number of questions.', 1) total!: number;
  @Whole('Seconds from the start to the submission.', 73) timeSpent!: number;
  @ListOf(Result, 'One for each question, in the order of the attempt.') results!: Result[];
}

export class LeaderboardEntry {
  @Whole('From 1.', 1) rank!: number;
  @Text('The player.', 'user-17') userId!: string;
  @Whole('Number of correct answers.', 12) score!: number;
  @Whole('Seconds.', 73) timeSpent!: number;
}

export const EXAMPLE_LINK = '019a9f3e-6c00-7000-8000-000000000060';

/** An unlisted link, as the quiz's owner sees it. */
export class UnlistedLink {
  @Text('The id of the link, to revoke it.', EXAMPLE_LINK) id!: string;
  @Text('The path of its page. Whoever has it can play the quiz.', '/play/~Vn3mPq0aSx7yBd5tKc2hWg')
  path!: string;
  @TextOrNull('When it closes; null: when you revoke it.', null, { format: 'date-time' })
  closesAt!: Date | null;
  @Text('When it was created.', '2026-01-01T12:00:00.000Z', { format: 'date-time' })
  createdAt!: Date;
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
