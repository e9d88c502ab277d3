import { Column, Entity, PrimaryColumn } from 'typeorm';
import {
  DIFFICULTIES,
  type Difficulty,
  QUESTION_FORMATS,
  QUESTION_TYPES,
  type QuestionFormat,
  type QuestionType,
  type StoredAnswer,
} from '../vocabulary';

/** A question of a quiz. A trigger keeps what is copied from the quiz. */
@Entity('questions')
export class Question {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'quiz_id' })
  quizId!: string;

  /** The specification's `order`: 1, 2, 3, … without a gap. */
  @Column('integer')
  position!: number;

  @Column('text')
  text!: string;

  @Column({ type: 'enum', enum: [...QUESTION_TYPES], enumName: 'question_type' })
  type!: QuestionType;

  @Column({ type: 'enum', enum: [...DIFFICULTIES], enumName: 'difficulty' })
  difficulty!: Difficulty;

  /** Of its text, answers and explanation. */
  @Column({ type: 'enum', enum: [...QUESTION_FORMATS], enumName: 'question_format' })
  format!: QuestionFormat;

  @Column('text', { nullable: true })
  explanation!: string | null;

  /** In order. */
  @Column('jsonb')
  answers!: StoredAnswer[];

  /** Attribution, for exports; null: unknown. */
  @Column('text', { nullable: true })
  source!: string | null;

  @Column('text', { nullable: true })
  licence!: string | null;

  /** Of the folded text and answers: finds duplicates. */
  @Column('uuid')
  fingerprint!: string;

  /** The folded text; null until the worker has filled it (migration 0060). */
  @Column('text', { name: 'text_key', nullable: true })
  textKey!: string | null;

  /** Ids of the pictures that its texts show; null: none. */
  @Column('uuid', { array: true, nullable: true })
  media!: string[] | null;

  /** Copied from the quiz. */
  @Column({ type: 'boolean', name: 'is_public', update: false })
  readonly isPublic!: boolean;

  /** Copied from the quiz. */
  @Column({ type: 'uuid', name: 'owner_id', update: false })
  readonly ownerId!: string;

  /** Copied from the quiz. */
  @Column({ type: 'text', name: 'category_key', update: false })
  readonly categoryKey!: string;
}
