import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The fixed shuffle of all questions goes: places are drawn by blocks (docs/adr/0016). Its two indexes were a
 * fifth of what PostgreSQL does for an import, and 950 MB at ten million questions.
 */
export class NoFixedShuffle1790000014000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`ALTER TABLE questions DROP COLUMN shuffle`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
ALTER TABLE questions ADD COLUMN shuffle double precision NOT NULL DEFAULT random();
ALTER TABLE questions ALTER COLUMN shuffle DROP DEFAULT;
CREATE INDEX questions_shuffle_idx ON questions (shuffle) INCLUDE (category_key, difficulty, type) WHERE is_public;
CREATE INDEX questions_facets_shuffle_idx ON questions (category_key, difficulty, type, shuffle) WHERE is_public;
`);
  }
}
