import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The `workerFrom` of a regrade whose event and notice a request was promised: it is announced even with 0 attempts. */
export const LEFT_TO_WORKER = new Date(0);

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

  /** The worker continues it from this time on; `LEFT_TO_WORKER` if a response has said that it will. */
  @Column('timestamptz', { name: 'worker_from' })
  workerFrom!: Date;
}
