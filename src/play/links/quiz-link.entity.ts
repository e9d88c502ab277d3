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

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;
}
