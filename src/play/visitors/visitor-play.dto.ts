import type { Difficulty } from '../../catalog/vocabulary';
import type { NamedAttempt } from '../attempts/attempt.queries';
import {
  type Best,
  choicesOf,
  isExpired,
  isMultiple,
  isOver,
  keyOf,
  type SnapshotAnswer,
} from '../attempts/attempt.rules';
import type { AttemptAnswer } from '../attempts/attempt-answer.entity';
import { resultOf } from '../attempts/attempts.dto';
import type { PlayedVia } from '../attempts/playable-quizzes.service';
import type { SnapshotQuestion } from '../attempts/snapshot.queries';
import { shownName } from '../attempts/visitor.rules';

/** What a player may know about a quiz before playing it. */
export interface OpenQuiz {
  id: string;
  ownerId: string;
  slug: string;
  title: string;
  description: string | null;
  /** Of its texts; null: not said. */
  language: string | null;
  category: string | null;
  difficulty: Difficulty;
  questionCount: number;
  plays: number;
  /** Of this player, in seconds; null: none. */
  timeLimit: number | null;
  /** Factor by which the player's time limit is multiplied. */
  timeFactor: number;
  /** Of each player; null: any number. Previews do not count. */
  maxAttempts: number | null;
  /** How many questions an attempt draws; null: all. */
  questionsPerAttempt: number | null;
  via: PlayedVia;
  linkId: string | null;
}

/** A line of the leaderboard as a visitor sees it. */
export interface VisitorLeaderboardRow {
  rank: number;
  name: string;
  score: number;
  /** Seconds. */
  timeSpent: number;
  isOwn: boolean;
}

/** What a player has of the attempts that an author allows. */
export interface Tries {
  most: number;
  left: number;
  best: Best | null;
}

/** Visitors play quizzes only. */
export type VisitorAttemptRow = NamedAttempt & {
  quizId: string;
  /** Practice: only questions that an earlier attempt did not answer correctly. It counts nowhere. */
  isPractice: boolean;
};

export type VisitorAttempt = ReturnType<typeof toVisitorAttempt>;
export type VisitorQuestion = ReturnType<typeof toVisitorQuestion>;

/** An attempt as its player may see it at the moment. */
export function toVisitorAttempt(
  attempt: VisitorAttemptRow,
  questions: readonly SnapshotQuestion[],
  answers: readonly AttemptAnswer[],
  now: Date,
) {
  const { score, timeSpent } = attempt;
  const outcome = score === null || timeSpent === null ? null : { score, timeSpent };
  const byQuestion = new Map(answers.map((answer) => [answer.questionId, answer]));
  return {
    id: attempt.id,
    quiz: { id: attempt.quizId, ownerId: attempt.ownerId },
    /** Null if the quiz was deleted meanwhile. */
    title: attempt.title,
    /** Of the quiz as it was played; null: not said. */
    language: questions[0]?.language ?? null,
    isPractice: attempt.isPractice,
    name: shownName(attempt.player),
    reveal: attempt.reveal,
    /** Set when it is submitted. `timeSpent` in seconds. */
    outcome,
    expired: isExpired(attempt, now) && !outcome,
    /** When the time limit is over; null: it has none. */
    endsAt: attempt.endsAt,
    /** The time limit has passed, or had passed at the submission. */
    over: attempt.submittedAt
      ? attempt.endsAt !== null && attempt.submittedAt >= attempt.endsAt
      : isOver(attempt, now),
    questions: questions.map((question) => {
      const answer = byQuestion.get(question.id);
      const known = outcome !== null || (attempt.reveal && answer !== undefined);
      return toVisitorQuestion(attempt.id, question, answer, known);
    }),
  };
}

function toVisitorQuestion(
  attemptId: string,
  question: SnapshotQuestion,
  answer: AttemptAnswer | undefined,
  known: boolean,
) {
  const { id, text, format = 'plain', language = null, type, answers } = question;
  const result = known ? resultOf(question, answer) : null;
  return {
    id,
    text,
    format,
    language,
    type,
    multiple: isMultiple(question),
    choices: choicesOf(attemptId, type, answers).map((each) => ({ id: each.id, text: each.text })),
    given: answer ? { answerIds: answer.answerIds, text: answer.text } : null,
    /** Null until it may be shown: nothing in the rest tells a correct answer from a wrong one. */
    result: result && {
      correct: result.correct,
      correctAnswers: type === 'OPEN_ENDED' ? spelledOnce(answers) : result.correctAnswers,
      spelling: result.spelling,
      explanation: result.explanation,
    },
  };
}

/** Authors list spellings that would be accepted anyway; people need to read only the first of them. */
function spelledOnce(answers: readonly SnapshotAnswer[]): { id: string; text: string }[] {
  const byKey = new Map<string, { id: string; text: string }>();
  for (const answer of answers) {
    if (!answer.isCorrect) continue;
    const key = keyOf(answer);
    if (!byKey.has(key)) byKey.set(key, { id: answer.id, text: answer.text });
  }
  return [...byKey.values()];
}
