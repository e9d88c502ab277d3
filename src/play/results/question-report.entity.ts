import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ReportReason } from './reports.rules';

/** What a player reports about a question, until an author or a reviewer closes it. */
@Entity('question_reports')
export class QuestionReport {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'quiz_id' })
  quizId!: string;

  @Column('uuid', { name: 'question_id' })
  questionId!: string;

  /** The player without a name: one has at most one report of a question. */
  @Column('text')
  reporter!: string;

  @Column('text')
  reason!: ReportReason;

  /** Untrusted, '' if the player wrote nothing. */
  @Column('text')
  text!: string;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  /** Null: it is open. */
  @Column('timestamptz', { name: 'closed_at', nullable: true })
  closedAt!: Date | null;
}
