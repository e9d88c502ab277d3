import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sortKey } from '../../sort-key.rules';

/** Latin letters that keep a shape of their own when accents are taken off: ß to ɏ, phonetic and further ones. */
const LETTERS = '[ß-ʯᴀ-ỿⱠ-Ɀ꜠-ꟿꬰ-ꭤ]';

const AT_ONCE = 5_000;

/** Sorts Ł beside L, Æ as AE and ß as SS: titles with such letters get their sort keys anew. */
export class TitleOrder1790000023000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    let last = '00000000-0000-0000-0000-000000000000';
    for (;;) {
      const rows = (await db.query(
        `SELECT id, title FROM quizzes WHERE id > $1 AND title_sort ~ $2 ORDER BY id LIMIT $3`,
        [last, LETTERS, AT_ONCE],
      )) as { id: string; title: string }[];
      await db.query(
        `UPDATE quizzes SET title_sort = key FROM unnest($1::uuid[], $2::text[]) AS keys (id, key)
         WHERE quizzes.id = keys.id AND title_sort <> key`,
        [rows.map(({ id }) => id), rows.map(({ title }) => sortKey(title))],
      );
      const end = rows.at(-1);
      if (!end || rows.length < AT_ONCE) return;
      last = end.id;
    }
  }

  /** The keys stay: a version before this one sorts by them too. */
  down(): Promise<void> {
    return Promise.resolve();
  }
}
