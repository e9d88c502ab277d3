// The same as it is usually written with an ORM: entities for quiz, question and answer, saved with a cascade in one
// transaction under the quiz's lock. Favourably: the questions that are there already are not loaded, ids are
// made here and not asked for, nothing is counted by kind, and there is no search for duplicates to serve.
import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { DataSource, EntitySchema } from 'typeorm';
import { serve } from './importer.mjs';

const id = { type: 'uuid', primary: true };
const Quiz = new EntitySchema({
  name: 'OrmQuiz',
  tableName: 'orm_quizzes',
  columns: { id, title: { type: 'text' }, questionCount: { type: 'int' } },
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
            id: randomUUID(),
            quiz,
            position: quiz.questionCount + index + 1,
            answers: input.answers.map((answer, place) => ({ ...answer, id: randomUUID(), place })),
          }),
        ),
      );
      quiz.questionCount += inputs.length;
      await quizzes.save(quiz);
    });
});
