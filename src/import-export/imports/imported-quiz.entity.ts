import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A quiz that an import created or added to. */
@Entity('import_quizzes')
export class ImportedQuiz {
  @PrimaryColumn('uuid', { name: 'import_id' })
  importId!: string;

  @PrimaryColumn('uuid', { name: 'quiz_id' })
  quizId!: string;

  /** The place in the file of the first question that it got. */
  @Column('int')
  number!: number;

  /** As it was then. */
  @Column('text')
  title!: string;

  @Column('text')
  slug!: string;

  /** How many questions it got. */
  @Column('int')
  questions!: number;

  /** Which they are, for a quiz that was there before. */
  @Column('uuid', { name: 'question_ids', array: true })
  questionIds!: string[];
}
