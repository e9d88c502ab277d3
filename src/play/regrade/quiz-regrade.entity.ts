import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * Attempts at a quiz that are being scored again. Further requests join it, and whoever scores some of them continues it,
 * so the totals are those of all. Code that scores attempts locks the quiz before it reads or writes the row.
 */
@Entity('quiz_regrades')
export class QuizRegrade {
  @PrimaryColumn('uuid', { name: 'quiz_id' })
  quizId!: string;

  /** The snapshots whose attempts are left; never empty. */
  @Column('uuid', { name: 'snapshot_ids', array: true })
  snapshotIds!: string[];

  /** The questions whose present key decides. */
  @Column('uuid', { name: 'question_ids', array: true })
  questionIds!: string[];

  /** Submitted attempts that were scored again until now. */
  @Column('integer', { default: 0 })
  attempts!: number;

  /** How many of them got another score. */
  @Column('integer', { default: 0 })
  changed!: number;

  /** The worker continues it from this time on. */
  @Column('timestamptz', { name: 'worker_from' })
  workerFrom!: Date;
}
