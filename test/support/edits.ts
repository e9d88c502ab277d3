import { QuestionEditingService } from '../../src/authoring/questions/question-editing.service';
import { BatchQuestionInput } from '../../src/authoring/questions/questions.dto';
import { QuizAuthoringService } from '../../src/authoring/quizzes/quiz-authoring.service';
import { QuizEditorService, wholeVersion } from '../../src/authoring/quizzes/quiz-editor.service';
import { CreateQuizRequest } from '../../src/authoring/quizzes/quizzes.dto';
import { OwnedQuizzesService } from '../../src/catalog/quizzes/owned-quizzes.service';
import { readBody } from '../../src/platform/http/request/validation.pipe';
import { addQuestions } from './content';
import { questionBody, quizBody } from './samples';
import type { Service, TestAccount } from './service';

/** What an owner does with a quiz that `makeQuiz(owner, {}, questionBodies(3))` made, as the services take it. */
export function editsOf(service: Service, owner: TestAccount) {
  const { accountId } = owner;
  const quizzes = service.app.get(QuizAuthoringService);
  const questions = service.app.get(QuestionEditingService);
  const owned = service.app.get(OwnedQuizzesService);
  const get = (id: string) => owned.getDetail(accountId, id);

  const texts = async (id: string, fields: object) => {
    const { version } = await get(id);
    const whole = readBody(CreateQuizRequest, quizBody(fields));
    return quizzes.edit(owner, { quizId: id, expected: version, fields: whole });
  };
  const question = async (id: string, index: number, fields: object) => {
    const { questions: all } = await get(id);
    const { id: questionId = '', version = '' } = all[index] ?? {};
    const edited = readBody(
      BatchQuestionInput,
      questionBody({ text: all[index]?.text, ...fields }),
    );
    return questions.edit(owner, { quizId: id, questionId, expected: version }, edited);
  };
  const idsOf = async (id: string) => (await get(id)).questions.map((it) => it.id);
  const reverse = async (id: string) =>
    questions.reorder(owner, { quizId: id }, (await idsOf(id)).reverse());
  const remove = async (id: string, index: number) =>
    questions.delete(owner, { quizId: id, questionId: (await idsOf(id))[index] ?? '' });

  /** The editor's save, without the second question and with another one in front. */
  const saveWhole = async (id: string, text: string) => {
    const quiz = await get(id);
    const [first, second, ...rest] = quiz.questions;
    const added = readBody(BatchQuestionInput, questionBody({ text }));
    const kept = [...rest, first].flatMap((it) => (it ? [it] : []));
    const whole = readBody(CreateQuizRequest, { ...quiz, published: false });
    return service.app
      .get(QuizEditorService)
      .save(
        owner,
        id,
        wholeVersion(quiz),
        { ...whole, questions: [added, ...kept] },
        { ids: ['', ...kept.map((it) => it.id)], removed: [second?.id ?? ''] },
      );
  };

  return { quizzes, questions, owned, get, texts, question, idsOf, reverse, remove, saveWhole };
}

export type Edits = ReturnType<typeof editsOf>;

interface Edit {
  make: (edits: Edits, id: string, owner: TestAccount) => Promise<unknown>;
  /** Where an owner can take it back. */
  undo?: (edits: Edits, id: string) => Promise<unknown>;
  /** What the difference view names. */
  shown: string[];
}

const asCreated = (edits: Edits, id: string) => edits.texts(id, {});

/** Edits of everything that the difference view names, in all ways. */
export const EDITS: Record<string, Edit> = {
  'an edit of the title': {
    make: (edits, id) => edits.texts(id, { title: 'Cheap pills' }),
    undo: asCreated,
    shown: ['Title'],
  },
  'an edit of the description': {
    make: (edits, id) => edits.texts(id, { description: 'Buy now.' }),
    undo: asCreated,
    shown: ['Description'],
  },
  'an edit of the tags': {
    make: (edits, id) => edits.texts(id, { tags: ['pills', 'rivers'] }),
    undo: asCreated,
    shown: ['Tags'],
  },
  'an edit of the language': {
    make: (edits, id) => edits.texts(id, { language: 'de' }),
    undo: (edits, id) => edits.texts(id, { language: null }),
    shown: ['Language'],
  },
  'an edit of category and difficulty': {
    make: (edits, id) => edits.texts(id, { category: 'Pharmacy', difficulty: 'EXPERT' }),
    undo: asCreated,
    shown: ['Category', 'Difficulty'],
  },
  'an edit of a question’s text': {
    make: (edits, id) => edits.question(id, 1, { text: 'Which pill?' }),
    undo: (edits, id) => edits.question(id, 1, { text: 'Question 2?' }),
    shown: ['Question 2'],
  },
  'an edit of an answer': {
    make: (edits, id) =>
      edits.question(id, 1, {
        answers: [
          { text: 'The pill', isCorrect: true },
          { text: 'The Rhine', isCorrect: false },
        ],
      }),
    undo: (edits, id) => edits.question(id, 1, {}),
    shown: ['Question 2'],
  },
  'an edit of a question’s explanation': {
    make: (edits, id) => edits.question(id, 1, { explanation: 'Buy it here.' }),
    undo: (edits, id) => edits.question(id, 1, {}),
    shown: ['Question 2'],
  },
  'an edit of a question’s difficulty': {
    make: (edits, id) => edits.question(id, 1, { difficulty: 'EXPERT' }),
    undo: (edits, id) => edits.question(id, 1, {}),
    shown: ['Question 2'],
  },
  'an added question': {
    make: (edits, id, owner) =>
      edits.questions.add(
        owner,
        id,
        readBody(BatchQuestionInput, questionBody({ text: 'New pill?' })),
      ),
    undo: (edits, id) => edits.remove(id, 3),
    shown: ['Question 4'],
  },
  'a batch of questions': {
    make: (_, id, owner) => addQuestions(owner, id, [questionBody({ text: 'Batch of pills?' })]),
    undo: (edits, id) => edits.remove(id, 3),
    shown: ['Question 4'],
  },
  'a copied question': {
    make: (edits, id, owner) =>
      edits
        .idsOf(id)
        .then(([first = '']) =>
          owner.post(`/quizzes/${id}/questions/copy`, { ids: [first] }).expect(201),
        ),
    undo: (edits, id) => edits.remove(id, 3),
    shown: ['Question 4'],
  },
  'a deleted question': {
    make: (edits, id) => edits.remove(id, 1),
    shown: ['Question'],
  },
  'a save of the whole quiz': {
    make: (edits, id) => edits.saveWhole(id, 'Pill of the editor?'),
    shown: ['Order of questions', 'Question 1', 'Question'],
  },
  'another order of the questions': {
    make: (edits, id) => edits.reverse(id),
    undo: (edits, id) => edits.reverse(id),
    shown: ['Order of questions'],
  },
  'a moved question': {
    make: async (edits, id, owner) =>
      edits.questions.move(owner, id, (await edits.idsOf(id))[2] ?? '', 'up'),
    undo: async (edits, id) => {
      const { ownerId: accountId } = await edits.get(id);
      return edits.questions.move({ accountId }, id, (await edits.idsOf(id))[2] ?? '', 'up');
    },
    shown: ['Order of questions'],
  },
};
