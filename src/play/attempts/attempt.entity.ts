import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An attempt of a player at a quiz. `submittedAt`, `score`, `timeSpent` and `counted` are set when it is submitted. */
@Entity('quiz_attempts')
export class QuizAttempt {
  @PrimaryColumn('uuid')
  id!: string;

  /** Null: its questions were drawn across quizzes. */
  @Column('uuid', { name: 'quiz_id', nullable: true })
  quizId!: string | null;

  /** The questions as they were at the start; a regrade replaces the snapshot. */
  @Column('uuid', { name: 'snapshot_id' })
  snapshotId!: string;

  /** The account that started it, for one of its players. */
  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  /** The owner of the quiz; of an attempt across quizzes, the account that started it. */
  @Column('uuid', { name: 'owner_id' })
  ownerId!: string;

  @Column('text')
  player!: string;

  /** Whether the questions are in another order than the author's. */
  @Column('boolean')
  shuffle!: boolean;

  /** Whether each answer is graded immediately. */
  @Column('boolean')
  reveal!: boolean;

  /** How many questions it has drawn from the quiz; null: all of them. */
  @Column('integer', { name: 'questions_per_attempt', nullable: true })
  questionsPerAttempt!: number | null;

  /** The unlisted link it was started by. */
  @Column('uuid', { name: 'link_id', nullable: true })
  linkId!: string | null;

  @Column('timestamptz', { name: 'started_at' })
  startedAt!: Date;

  /** When its time limit is over; null: it has none. */
  @Column('timestamptz', { name: 'ends_at', nullable: true })
  endsAt!: Date | null;

  @Column('timestamptz', { name: 'submitted_at', nullable: true })
  submittedAt!: Date | null;

  @Column('integer', { nullable: true })
  score!: number | null;

  /** Seconds. */
  @Column('integer', { name: 'time_spent', nullable: true })
  timeSpent!: number | null;

  /** Whether the statistics count it: the player's first, with an answer. */
  @Column('boolean', { default: false })
  counted!: boolean;
}
