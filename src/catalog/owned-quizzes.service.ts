import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Where a quiz stands, in the words of its owner. */
export const QUIZ_STATES = ['draft', 'waiting', 'live', 'rejected'] as const;
export type QuizState = (typeof QUIZ_STATES)[number];

/** How many quizzes accounts own, and in which state they are. */
@Injectable()
export class OwnedQuizzesService {
  constructor(private readonly database: DataSource) {}

  async countByState(accountId: string): Promise<Record<QuizState, number>> {
    const rows = await this.database.query<{ state: QuizState; quizzes: number }[]>(
      `SELECT ${STATE} AS state, count(*)::int AS quizzes FROM quizzes WHERE owner_id = $1 GROUP BY state`,
      [accountId],
    );
    const counts = { draft: 0, waiting: 0, live: 0, rejected: 0 };
    for (const { state, quizzes } of rows) counts[state] = quizzes;
    return counts;
  }

  /** How many each of these accounts owns; an account that owns none is not in it. */
  async countByOwner(accountIds: string[]): Promise<Map<string, number>> {
    const rows = await this.database.query<{ owner: string; quizzes: number }[]>(
      `SELECT owner_id AS owner, count(*)::int AS quizzes FROM quizzes WHERE owner_id = ANY ($1) GROUP BY owner_id`,
      [accountIds],
    );
    return new Map(rows.map(({ owner, quizzes }) => [owner, quizzes]));
  }
}

/** A rejected quiz says so also while it is unpublished: its owner has something to mend. */
const STATE = `CASE WHEN approval = 'rejected' THEN 'rejected' WHEN NOT published THEN 'draft'
  WHEN approval = 'pending' THEN 'waiting' ELSE 'live' END`;
