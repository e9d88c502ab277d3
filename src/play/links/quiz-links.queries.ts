import type { EntityManager } from 'typeorm';
import { query, sql } from '../../platform/database/sql';
import { NIL_ID } from '../../platform/text/ids';

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

interface PlayerOfLink {
  linkId: string;
  accountId: string;
  player: string;
}

/** Rows of a page of `playersOfLinks`. */
const PAGE = 20_000;

/** Who has submitted an attempt by which of these links, in pages: there may be more than fit into memory. */
export async function* playersOfLinks(
  database: EntityManager,
  quizId: string,
  linkIds: readonly string[],
): AsyncGenerator<PlayerOfLink[]> {
  let after: PlayerOfLink | undefined = { accountId: NIL_ID, player: '', linkId: NIL_ID };
  while (after) {
    const page: PlayerOfLink[] = await query(
      database,
      sql`SELECT DISTINCT account_id AS "accountId", player, link_id AS "linkId" FROM quiz_attempts
          WHERE quiz_id = ${quizId} AND link_id = ANY (${linkIds}::uuid[]) AND submitted_at IS NOT NULL
            AND (account_id, player, link_id) > (${after.accountId}::uuid, ${after.player}::text, ${after.linkId}::uuid)
          ORDER BY account_id, player, link_id LIMIT ${PAGE}`,
    );
    yield page;
    after = page[PAGE - 1];
  }
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
