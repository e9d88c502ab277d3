import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type Approval, DIFFICULTIES, type Difficulty } from '../vocabulary';

/** A quiz. Counters of plays and questions change in SQL only (several writers at once), and triggers set `is_public`. */
@Entity('quizzes')
export class Quiz {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'owner_id' })
  ownerId!: string;

  @Column('text')
  title!: string;

  /** sortKey(title) */
  @Column('text', { name: 'title_sort' })
  titleSort!: string;

  @Column('text', { nullable: true })
  description!: string | null;

  @Column('text', { nullable: true })
  category!: string | null;

  /** fold(category), '' if there is none */
  @Column('text', { name: 'category_key' })
  categoryKey!: string;

  @Column('uuid', { name: 'category_id', nullable: true })
  categoryId!: string | null;

  @Column({ type: 'enum', enum: [...DIFFICULTIES], enumName: 'difficulty' })
  difficulty!: Difficulty;

  @Column({ type: 'text', array: true })
  tags!: string[];

  /** fold(tag) for each of `tags` */
  @Column({ type: 'text', name: 'tag_keys', array: true })
  tagKeys!: string[];

  /** Of its texts: a canonical BCP 47 tag; null: not said. */
  @Column('text', { nullable: true })
  language!: string | null;

  @Column('text')
  slug!: string;

  @Column('boolean')
  published!: boolean;

  @Column({ type: 'enum', enum: ['pending', 'approved', 'rejected'], enumName: 'approval' })
  approval!: Approval;

  @Column('text', { name: 'rejection_reason', nullable: true })
  rejectionReason!: string | null;

  @Column({ type: 'boolean', name: 'is_public', insert: false, update: false })
  readonly isPublic!: boolean;

  @Column('timestamptz', { name: 'first_public_at', nullable: true })
  firstPublicAt!: Date | null;

  @Column('boolean')
  featured!: boolean;

  @Column({ type: 'integer', name: 'question_count', insert: false, update: false })
  readonly questionCount!: number;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  /** Seconds for an attempt; null: no limit. */
  @Column('integer', { name: 'time_limit', nullable: true })
  timeLimit!: number | null;

  /** Of each player; null: any number. */
  @Column('integer', { name: 'max_attempts', nullable: true })
  maxAttempts!: number | null;

  /** Whether a typed answer with one typing error counts. */
  @Column('boolean', { name: 'accept_typos' })
  acceptTypos!: boolean;

  /** How many questions each attempt draws; null: all of them. */
  @Column('integer', { name: 'questions_per_attempt', nullable: true })
  questionsPerAttempt!: number | null;

  /** The assistant that wrote or last edited it, for the review; null: none did. */
  @Column('text', { name: 'written_by', nullable: true })
  writtenBy!: string | null;

  /** The first edit after the last approval that no reviewer has seen yet; set by a trigger. */
  @Column('timestamptz', { name: 'changed_since_approval_at', nullable: true })
  changedSinceApprovalAt!: Date | null;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt!: Date;
}
