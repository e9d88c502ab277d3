import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An unlisted link: whoever has it can play the quiz. */
@Entity('quiz_links')
export class QuizLink {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'quiz_id' })
  quizId!: string;

  /** The secret in its path. */
  @Column('text')
  token!: string;

  /** No attempt starts from then on; null: until it is revoked. */
  @Column('timestamptz', { name: 'closes_at', nullable: true })
  closesAt!: Date | null;

  /** For its owner; null: none. */
  @Column('text', { nullable: true })
  name!: string | null;

  /** What people type instead of the URL (quiz-links.rules.ts); null: it was never shown. */
  @Column('text', { nullable: true })
  code!: string | null;

  /** It is no unlisted link, but the code of the public quiz. */
  @Column('boolean', { name: 'opens_public', default: false })
  opensPublic!: boolean;

  /** Whom its owner expects to hand in an attempt. */
  @Column('text', { array: true, default: [] })
  names!: string[];

  /** How many times the time limit of the quiz its players have, from 1. */
  @Column('double precision', { name: 'time_factor', default: 1 })
  timeFactor!: number;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;
}
