import { CreateQuizRequest } from '../../../authoring/quizzes/create-quiz.request';
import type { OwnedQuiz } from '../../../catalog/quizzes/owned-quizzes.service';
import { DomainError, Invalid } from '../../../platform/errors/domain-errors';
import { readBody } from '../../../platform/http/request/validation.pipe';
import { Form } from '../../http/form';

/** The form as it is before anything was typed. */
export const filledForm = (quiz: OwnedQuiz) =>
  new Form({
    version: quiz.version,
    title: quiz.title,
    description: quiz.description ?? '',
    category: quiz.category ?? '',
    difficulty: quiz.difficulty,
    tags: quiz.tags.join(', '),
  });

/** What was typed, checked by the rules of the API. @throws Invalid */
export function readQuiz(form: Form): CreateQuizRequest {
  const tags = form
    .text('tags')
    .split(',')
    .filter((tag) => tag.trim() !== '');
  return inFields(() =>
    readBody(CreateQuizRequest, {
      title: form.text('title'),
      description: form.text('description'),
      category: form.text('category'),
      difficulty: form.text('difficulty'),
      tags,
      published: form.text('published') === 'yes',
    }),
  );
}

/** Tags are one field here: an error of one of them is an error of it, and is told once. */
function inFields<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DomainError) || !error.details) throw error;
    const errors = error.details.map((error) => ({
      ...error,
      path: error.path.replace(/\[\d+\]$/, ''),
      message: error.message.replace(/^tags\[(\d+)\]/, (_, index) => `tag ${Number(index) + 1}`),
    }));
    const [first, ...rest] = errors;
    if (!first) throw error;
    throw new Invalid('The form', [first, ...rest]);
  }
}
