import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The answer to a question of an attempt: one of `answerIds` and `text`, and the other null. */
@Entity('quiz_answers')
export class AttemptAnswer {
  @PrimaryColumn('uuid', { name: 'attempt_id' })
  attemptId!: string;

  @PrimaryColumn('uuid', { name: 'question_id' })
  questionId!: string;

  @Column('uuid', { name: 'answer_ids', array: true, nullable: true })
  answerIds!: string[] | null;

  @Column('text', { nullable: true })
  text!: string | null;

  @Column('boolean', { name: 'is_right' })
  isCorrect!: boolean;
}
