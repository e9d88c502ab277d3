// An import of questions as it is usually written with an ORM: entities for quiz, question and answer, saved with a
// cascade in one transaction under the quiz's lock. It does as little as it can: the questions that are there already
// are not loaded, PostgreSQL makes the ids (for given ids save() would select the rows first), nothing is counted by
// kind, and no fingerprints are stored that would find duplicates.
import 'reflect-metadata';
import { DataSource, EntitySchema } from 'typeorm';
import { serve } from './importer.mjs';

const id = { type: 'uuid', primary: true, generated: 'uuid' };
const Quiz = new EntitySchema({
  name: 'OrmQuiz',
  tableName: 'orm_quizzes',
  columns: {
    id: { type: 'uuid', primary: true },
    title: { type: 'text' },
    questionCount: { type: 'int' },
  },
});
const Question = new EntitySchema({
  name: 'OrmQuestion',
  tableName: 'orm_questions',
  columns: {
    id,
    position: { type: 'int' },
    text: { type: 'text' },
    type: { type: 'text' },
    difficulty: { type: 'text' },
    explanation: { type: 'text', nullable: true },
  },
  indices: [{ columns: ['quiz', 'position'], unique: true }],
  relations: {
    quiz: { type: 'many-to-one', target: 'OrmQuiz', nullable: false },
    answers: { type: 'one-to-many', target: 'OrmAnswer', inverseSide: 'question', cascade: true },
  },
});
const Answer = new EntitySchema({
  name: 'OrmAnswer',
  tableName: 'orm_answers',
  columns: { id, place: { type: 'int' }, text: { type: 'text' }, isCorrect: { type: 'boolean' } },
  indices: [{ columns: ['question'] }],
  relations: {
    question: {
      type: 'many-to-one',
      target: 'OrmQuestion',
      inverseSide: 'answers',
      nullable: false,
    },
  },
});

await serve(async (url) => {
  const database = await new DataSource({
    type: 'postgres',
    url,
    entities: [Quiz, Question, Answer],
    synchronize: true,
  }).initialize();
  return (quizId, inputs) =>
    database.transaction(async (tx) => {
      const quizzes = tx.getRepository(Quiz);
      const quiz =
        (await quizzes.findOne({ where: { id: quizId }, lock: { mode: 'pessimistic_write' } })) ??
        (await quizzes.save({ id: quizId, title: 'Imported', questionCount: 0 }));
      const questions = tx.getRepository(Question);
      await questions.save(
        inputs.map((input, index) =>
          questions.create({
            ...input,
            quiz,
            position: quiz.questionCount + index + 1,
            answers: input.answers.map((answer, place) => ({ ...answer, place })),
          }),
        ),
      );
      quiz.questionCount += inputs.length;
      await quizzes.save(quiz);
    });
});
