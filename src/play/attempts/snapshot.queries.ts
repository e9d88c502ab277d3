import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import type { QuestionRow } from '../../catalog/responses';
import type { Difficulty, QuestionType } from '../../catalog/vocabulary';
import { acceptedKey } from './answer-text.rules';
import type { PlayedAnswer } from './scoring.rules';

/** A question as an attempt plays it. */
export interface PlayedQuestion {
  id: string;
  /** From 1, without a gap. */
  place: number;
  type: QuestionType;
  text: string;
  difficulty: Difficulty;
  explanation: string | null;
  answers: PlayedAnswer[];
}

/** A quiz's questions at one time. */
export interface Edition {
  id: string;
  quizId: string;
  questions: PlayedQuestion[];
}

/** The edition that these questions make. */
export function editionOf(quizId: string, rows: readonly QuestionRow[]): Edition {
  const questions = rows.map((row, index) => ({
    id: row.id,
    place: index + 1,
    type: row.type,
    text: row.text,
    difficulty: row.difficulty,
    explanation: row.explanation,
    answers: row.answers.map(({ id, text, isCorrect }) => ({ id, text, isCorrect })),
  }));
  // 128 bits in the form of a UUID, as a question's fingerprint.
  const id = createHash('sha256')
    .update(quizId + jsonOf(questions))
    .digest('hex')
    .slice(0, 32);
  return { id, quizId, questions };
}

/** The questions by id. */
const jsonOf = (questions: PlayedQuestion[]) =>
  JSON.stringify(Object.fromEntries(questions.map(({ id, ...rest }) => [id, rest])));

/** What accepted texts are compared by is computed once, here, and not by everybody who plays. */
const withKeys = (question: PlayedQuestion): PlayedQuestion =>
  question.type !== 'OPEN_ENDED'
    ? question
    : {
        ...question,
        answers: question.answers.map((answer) =>
          answer.isCorrect ? { ...answer, key: acceptedKey(answer.text) } : answer,
        ),
      };

/** Stores an edition that is not there yet. */
export async function storeEdition(
  database: EntityManager,
  edition: Edition,
  now: Date,
): Promise<void> {
  await database.query(
    `INSERT INTO quiz_editions (id, quiz_id, question_count, questions, created_at)
     VALUES ($1, $2, $3, $4, $5) ON CONFLICT (id) DO NOTHING`,
    [
      edition.id,
      edition.quizId,
      edition.questions.length,
      jsonOf(edition.questions.map(withKeys)),
      now,
    ],
  );
}

/** The questions of a stored edition, in order. */
export async function readEdition(tx: EntityManager, id: string): Promise<PlayedQuestion[]> {
  const [row] = await tx.query<[{ questions: Record<string, Omit<PlayedQuestion, 'id'>> }]>(
    `SELECT questions FROM quiz_editions WHERE id = $1`,
    [id],
  );
  return Object.entries(row.questions)
    .map(([questionId, question]) => ({ id: questionId, ...question }))
    .sort((a, b) => a.place - b.place);
}
