import type { EntityManager } from 'typeorm';
import { query, sql } from '../../platform/database/sql';

/** What a link opens. */
export interface LinkedQuiz {
  linkId: string;
  quizId: string;
  ownerId: string;
  closesAt: Date | null;
  timeFactor: number;
}

/** The quiz of a link; null for an unknown or revoked one, a deleted quiz and a disabled account. */
export async function findLinkedQuiz(
  database: EntityManager,
  token: string,
): Promise<LinkedQuiz | null> {
  const [quiz] = await query<LinkedQuiz[]>(
    database,
    sql`SELECT l.id AS "linkId", q.id AS "quizId", q.owner_id AS "ownerId", closes_at AS "closesAt",
          time_factor AS "timeFactor"
        FROM quiz_links l JOIN quizzes q ON q.id = l.quiz_id WHERE token = ${token} AND NOT opens_public AND NOT withheld`,
  );
  return quiz ?? null;
}

/** The most players of a call of `findPlayersOfLinks`: more than a list of names is for. */
const MOST_PLAYERS = 20_000;

/** Who has submitted an attempt by which of these links. */
export function findPlayersOfLinks(
  database: EntityManager,
  quizId: string,
  linkIds: readonly string[],
): Promise<{ linkId: string; player: string }[]> {
  return query(
    database,
    sql`SELECT DISTINCT link_id AS "linkId", player FROM quiz_attempts
        WHERE quiz_id = ${quizId} AND link_id = ANY (${linkIds}::uuid[]) AND submitted_at IS NOT NULL LIMIT ${MOST_PLAYERS}`,
  );
}

/** What a code opens. */
export interface CodedQuiz {
  token: string;
  slug: string;
  closesAt: Date | null;
  opensPublic: boolean;
}

/** Null for an unknown code, for that of a revoked link or of a quiz that is not public any more, and as above. */
export async function findCodedQuiz(
  database: EntityManager,
  code: string,
): Promise<CodedQuiz | null> {
  const [quiz] = await query<CodedQuiz[]>(
    database,
    sql`SELECT token, slug, closes_at AS "closesAt", opens_public AS "opensPublic"
        FROM quiz_links l JOIN quizzes q ON q.id = l.quiz_id
        WHERE code = ${code} AND NOT withheld AND (is_public OR NOT opens_public)`,
  );
  return quiz ?? null;
}
