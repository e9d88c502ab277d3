import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A player on the leaderboard of a quiz, with the result of their first attempt. */
@Entity('leaderboard_entries')
export class LeaderboardPlayer {
  @PrimaryColumn('uuid', { name: 'quiz_id' })
  quizId!: string;

  @PrimaryColumn('uuid', { name: 'account_id' })
  accountId!: string;

  @PrimaryColumn('text')
  player!: string;

  @Column('integer')
  score!: number;

  /** Whole seconds. */
  @Column('integer', { name: 'time_spent' })
  timeSpent!: number;

  @Column('timestamptz', { name: 'reached_at' })
  reachedAt!: Date;

  @Column('uuid', { name: 'attempt_id' })
  attemptId!: string;

  /** How many questions the attempt drew; 0: all. */
  @Column('integer', { name: 'questions_per_attempt', default: 0 })
  questionsPerAttempt!: number;

  /** When the owner of the quiz or an administrator removed the player; null: visible. */
  @Column('timestamptz', { name: 'hidden_at', nullable: true })
  hiddenAt!: Date | null;

  /** False: it has reached the top ten, and leaderboard.updated has not been sent yet. */
  @Column('boolean', { default: true })
  announced!: boolean;
}
