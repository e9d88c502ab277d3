import { createHash } from 'node:crypto';
import { type EntityManager, IsNull } from 'typeorm';
import { Account } from '../../access/accounts/account.entity';
import type { StoredQuestion } from '../../catalog/quizzes/quizzes.dto';
import type { QuestionFormat } from '../../catalog/vocabulary';
import { pictureIdsIn } from '../../media/references.rules';
import { query, queryPrepared, sql } from '../../platform/database/sql';
import { LIMITS } from '../../platform/limits/limits';
import { acceptedKey } from './answer-text.rules';
import { NotPlayable, type SnapshotAnswer, tooManyVersions } from './attempt.rules';

/** A question as an attempt plays it. */
export interface SnapshotQuestion extends Omit<StoredQuestion, 'position' | 'format'> {
  /** From 1, without a gap. */
  place: number;
  answers: SnapshotAnswer[];
  /** Absent for plain text, since the id of a snapshot is a hash. */
  format?: QuestionFormat;
  /** Of OPEN_ENDED: whether a typing error counts. Absent if not, for the same reason. */
  acceptTypos?: boolean;
  /** Of its quiz. Absent if it is not said. */
  language?: string;
}

/** A quiz's questions at one time. */
export interface Snapshot {
  id: string;
  /** Null: drawn across quizzes. */
  quizId: string | null;
  /** Of the quiz, or of the attempts that play it across quizzes. */
  ownerId: string;
  questions: readonly SnapshotQuestion[];
}

/** The snapshot of these questions. */
export function snapshotOf(
  of: Pick<Snapshot, 'quizId' | 'ownerId'>,
  rows: readonly (Omit<StoredQuestion, 'position' | 'format'> &
    Pick<SnapshotQuestion, 'format' | 'acceptTypos'> & { language?: string | null })[],
): Snapshot {
  const questions = rows.map((row, index) => ({
    id: row.id,
    place: index + 1,
    type: row.type,
    text: row.text,
    difficulty: row.difficulty,
    explanation: row.explanation,
    answers: row.answers.map(({ id, text, isCorrect }) => ({ id, text, isCorrect })),
    ...(row.format === 'markdown' && { format: row.format }),
    ...(row.type === 'OPEN_ENDED' && row.acceptTypos && { acceptTypos: true }),
    ...(row.language && { language: row.language }),
  }));
  // 128 bits in the form of a UUID, like a question's fingerprint.
  const id = createHash('sha256')
    .update((of.quizId ?? of.ownerId) + jsonOf(questions))
    .digest('hex')
    .slice(0, 32);
  return { id, ...of, questions };
}

/** The questions by id. */
const jsonOf = (questions: readonly SnapshotQuestion[]) =>
  JSON.stringify(Object.fromEntries(questions.map(({ id, ...rest }) => [id, rest])));

/** The comparison keys of accepted texts are computed once, here, and not for every player. */
const withKeys = (question: SnapshotQuestion): SnapshotQuestion =>
  question.type !== 'OPEN_ENDED'
    ? question
    : {
        ...question,
        answers: question.answers.map((answer) =>
          answer.isCorrect ? { ...answer, key3: acceptedKey(answer.text) } : answer,
        ),
      };

const { snapshots, freeSnapshots, drawnSnapshots } = LIMITS.storage;

/** The bytes that the versions of an account's quizzes may have. A deleted account may have left quizzes of a larger plan. */
async function versionsLimit(tx: EntityManager, id: string): Promise<number> {
  const free = { id, plan: 'free', isAdmin: false, deletedAt: IsNull() } as const;
  const isFree = await tx.getRepository(Account).existsBy(free);
  return isFree ? freeSnapshots.value : snapshots.value;
}

/** The first half of the key of an advisory lock. */
const SNAPSHOTS_LOCK = 1_790_021;

/**
 * Stores a snapshot that is not there yet.
 * @param replaces the snapshot whose attempts move to this one: it needs no room beside it
 * @throws NotPlayable if the snapshots of the owner's quizzes take up too many bytes. Of drawn ones the oldest give way:
 * whoever has the key of a web page could fill them, and players finish within minutes.
 */
export async function storeSnapshot(
  database: EntityManager,
  { id, quizId, ownerId, questions: played }: Snapshot,
  now: Date,
  replaces = id,
): Promise<void> {
  const questions = jsonOf(played.map(withKeys));
  const bytes = Buffer.byteLength(questions);
  const pictures = pictureIdsIn(played.filter(({ format }) => format === 'markdown'));
  const media = pictures.length > 0 ? pictures : null;
  await database.transaction(async (tx) => {
    // Without the lock, attempts that start at the same time would each find room.
    await query(tx, sql`SELECT pg_advisory_xact_lock(${SNAPSHOTS_LOCK}, hashtext(${ownerId}))`);
    const [{ stored }] = await query<[{ stored: string }]>(
      tx,
      sql`SELECT coalesce(sum(bytes), 0) AS stored FROM quiz_snapshots
          WHERE owner_id = ${ownerId} AND (quiz_id IS NULL) = ${quizId === null}
            AND id <> ALL (${[id, replaces]}::uuid[])`,
    );
    const most = quizId === null ? drawnSnapshots.value : await versionsLimit(tx, ownerId);
    const isTooMuch = Number(stored) + bytes > most;
    if (isTooMuch && quizId !== null) throw new NotPlayable(tooManyVersions(most));
    if (isTooMuch) await deleteDrawn(tx, ownerId, drawnSnapshots.value / 16 + bytes);
    await query(
      tx,
      sql`INSERT INTO quiz_snapshots (id, quiz_id, owner_id, bytes, questions, question_count, media, created_at)
          VALUES (${id}, ${quizId}, ${ownerId}, ${bytes}, ${questions}, ${played.length}, ${media}, ${now})
          ON CONFLICT (id) DO NOTHING`,
    );
  });
}

/** Deletes the drawn snapshots that were started longest ago, at least this many bytes of them, with their attempts. */
async function deleteDrawn(tx: EntityManager, ownerId: string, bytes: number): Promise<void> {
  const rows = await query<{ id: string }[]>(
    tx,
    sql`SELECT id FROM quiz_snapshots WHERE id IN (
       SELECT id FROM (
         SELECT id, sum(bytes) OVER (ORDER BY started_at, id) - bytes AS freed
         FROM quiz_snapshots s, LATERAL (
           SELECT coalesce(max(a.started_at), s.created_at) AS started_at FROM quiz_attempts a WHERE a.snapshot_id = s.id) AS last
         WHERE owner_id = ${ownerId} AND quiz_id IS NULL) AS oldest
       WHERE freed < ${bytes})
     FOR UPDATE`,
  );
  const ids = rows.map(({ id }) => id);
  await query(tx, sql`DELETE FROM quiz_attempts WHERE snapshot_id = ANY (${ids})`);
  await query(tx, sql`DELETE FROM quiz_snapshots WHERE id = ANY (${ids})`);
}

/** The questions of a stored snapshot, in order, and their size; none if nobody has played it and it was deleted. */
export async function readSnapshot(
  tx: EntityManager,
  id: string,
): Promise<{ questions: SnapshotQuestion[]; bytes: number }> {
  const [row] = await queryPrepared<
    { questions: Record<string, Omit<SnapshotQuestion, 'id'>>; bytes: number }[]
  >(tx, sql`SELECT questions, bytes FROM quiz_snapshots WHERE id = ${id}`);
  const questions = Object.entries(row?.questions ?? {})
    .map(([questionId, question]) => ({ id: questionId, ...question }))
    .sort((a, b) => a.place - b.place);
  return { questions, bytes: row?.bytes ?? 0 };
}
