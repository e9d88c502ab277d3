import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An unlisted link, or the short code of a public quiz (`opensPublic`). */
@Entity('quiz_links')
export class QuizLink {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'quiz_id' })
  quizId!: string;

  /** The secret in its path. */
  @Column('text')
  token!: string;

  /** New attempts are rejected from this time on; null: open until revoked. */
  @Column('timestamptz', { name: 'closes_at', nullable: true })
  closesAt!: Date | null;

  /** A label for the owner; null if none. */
  @Column('text', { nullable: true })
  name!: string | null;

  /** What people type instead of the URL (quiz-links.rules.ts); null: a link from before migration 0050, not shown since. */
  @Column('text', { nullable: true })
  code!: string | null;

  /** The row only holds the code of a public quiz; it is not an unlisted link. */
  @Column('boolean', { name: 'opens_public', default: false })
  opensPublic!: boolean;

  /** The people whom the owner expects to submit an attempt. */
  @Column('text', { array: true, default: [] })
  names!: string[];

  /** Multiplies the quiz's time limit for players of this link, from 1 to 4. */
  @Column('double precision', { name: 'time_factor', default: 1 })
  timeFactor!: number;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;
}
